"""What people write: settings files, environment, flags, cookie files."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.properties import Property, mixed_bytes, mixed_text
from tests.scratch import IN_MEMORY
from weft.cli.settings import SETTINGS
from weft.cli.sources import effective, read_file
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.fetch.cookie_file import read_cookie_file
from weft.pipeline.crawl import check

SCRATCH = str(IN_MEMORY) if IN_MEMORY.is_dir() else None
NAMES = [setting.name for setting in SETTINGS]
VALUE_PIECES = (
    "1", "0", "-1", "1e999", "nan", "inf", "9" * 400, "0x10", "true", "no", "none", "host", "any", "bfs", "http://[",
    ":", "127.0.0.1:53", "a.test", "*.pdf", "regex:(", "[", "user:pw@h", "X: y", "\r\n", "\x7f", "é", ",", " ", "=",
    "/etc", "10",
)  # fmt: skip
VALUES = mixed_text(VALUE_PIECES, 3)
TOML_LINES = st.builds(
    lambda key, value: f"{key} = {value}\n",
    st.sampled_from([*NAMES, "delay_s", "unknown", '"a b"', "a.b"]),
    st.sampled_from(
        ["1", "-1", "1.5", "true", '"x"', "[]", '["a", "b"]', "[1]", "{a=1}", "nan", "inf", "1979-05-27", "''"]
    )
    | VALUES.map(lambda text: '"' + text.replace("\\", "").replace('"', "") + '"')
    | VALUES,
)
COOKIE_LINES = (
    b"a.test\tTRUE\t/\tFALSE\t0\tname\tvalue\n", b"#HttpOnly_", b"# comment\n", b"\t", b"\n", b"TRUE", b"FALSE", b"/",
    b"x", b"999999999999999999999999999999", b"-1", b".a.test", b"\xff", b"\x00", b"[::1]",
    b"a.test\tTRUE\t/\tFALSE\t1e3\tn\tv\n",
)  # fmt: skip


def any_settings_are_taken_or_refused_in_words(given: tuple[str, dict[str, str], dict[str, Any]]) -> None:
    """By BadInput with a sentence, or by settings that a crawl can begin with."""
    toml, environment, flags = given
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        path = Path(folder, "weft.toml")
        path.write_bytes(toml.encode())
        try:
            settings = effective(flags, path, environment)
            config = settings.config(["http://example.org/"])
            check(config)
        except BadInput as error:
            _assert_says_why(error)
        else:
            assert isinstance(config, CrawlConfig)


def any_file_is_settings_or_refused(data: bytes) -> None:
    """Also what is no text."""
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        path = Path(folder, "weft.toml")
        path.write_bytes(data)
        for read in (read_file, lambda path: read_cookie_file(str(path))):
            try:
                read(path)
            except BadInput as error:
                _assert_says_why(error)


def _assert_says_why(error: BadInput) -> None:
    assert len(str(error).split()) >= 3


SETTING_PROPERTIES = (
    Property(
        "settings: are taken or refused in words",
        st.tuples(
            st.lists(TOML_LINES, max_size=3).map("".join),
            st.dictionaries(
                st.sampled_from([*(setting.variable for setting in SETTINGS), "WEFT_X", "HOME"]), VALUES, max_size=2
            ),
            st.dictionaries(
                st.sampled_from([setting.keyword for setting in SETTINGS]), VALUES | st.lists(VALUES), max_size=2
            ),
        ),
        any_settings_are_taken_or_refused_in_words,
    ),
    Property("settings: any file is settings or refused", mixed_bytes(COOKIE_LINES), any_file_is_settings_or_refused),
)
