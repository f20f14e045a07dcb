"""Plain command lines mean without Typer what they mean with it, and are read without waiting for it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from weft.cli.app import app
from weft.cli.exits import Exit
from weft.cli.quick import has_run, read_quickly
from weft.cli.settings import CRAWL_FLAGS, MIRROR_FLAGS
from weft.settings.one_page import ONE_PAGE_SETTINGS
from weft.settings.setting import Kind, Setting

from .running import Finished, closed_port, own_environment

TABLES: dict[str, tuple[tuple[Setting, ...], tuple[str, ...], tuple[str, ...]]] = {
    "get": (ONE_PAGE_SETTINGS, ("to", "config"), ()),
    "crawl": (CRAWL_FLAGS, ("config",), ()),
    "mirror": (MIRROR_FLAGS, ("config",), ("update",)),
}


@cache
def typers_own(command: str) -> Any:
    group: Any = get_group(app)
    return group.get_command(None, command)


def read_by_typer(command: str, words: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """What Typer makes of the words after `weft COMMAND`, without what was not given."""
    context = typers_own(command).make_context(command, list(words))
    given = {name: value for name, value in context.params.items() if value not in (None, [], ())}
    arguments = given.pop("url", None) or given.pop("urls", [])
    if given.get("to") == "markdown":
        del given["to"]
    if given.get("update") is False:
        del given["update"]
    return [arguments] if isinstance(arguments, str) else list(arguments), given


def spellings(flag: str, setting: Setting) -> list[list[str]]:
    if setting.kind is Kind.SWITCH:
        return [[flag], [f"--no-{setting.name}"]]
    return [[flag, "a"], [f"{flag}=a=b"] if flag.startswith("--") else [flag, "a=b"]]


@pytest.mark.parametrize(
    ("command", "flag", "setting"),
    [
        pytest.param(command, flag, setting, id=f"{command} {flag}")
        for command, (settings, *_) in TABLES.items()
        for setting in settings
        if not setting.alone
        for flag in filter(None, (f"--{setting.name}", setting.short))
    ],
)
def test_plain_words_mean_what_typer_says(command: str, flag: str, setting: Setting) -> None:
    first, second = spellings(flag, setting)
    for words in (first, second, first * 2 + second):
        for line in (["URL", *words], [*words, "URL"]):
            assert read_quickly(line, *TABLES[command]) == read_by_typer(command, line)


def test_a_crawl_may_have_several_urls_or_none() -> None:
    for line in (["a", "--depth", "2", "b"], ["--seeds", "file"]):
        assert read_quickly(line, *TABLES["crawl"]) == read_by_typer("crawl", line)


def test_a_mirror_may_be_updated() -> None:
    for line in (["--update", "-o", "folder"], ["URL", "--quiet", "--update", "another"]):
        assert read_quickly(line, *TABLES["mirror"]) == read_by_typer("mirror", line)


@pytest.mark.parametrize(
    "line",
    ["get", "get URL another", "get --help", "get URL -h", "get URL --to", "get URL --to --proxy x",
     "get URL --depth 2", "get URL -- x", "get URL --max-body", "get URL --ignore-robots=yes", "get URL --no-proxy x",
     "get --to html", "crawl --help", "crawl URL --seeds -", "crawl URL -ofolder", "crawl URL -o=folder",
     "crawl URL --dashboard", "crawl URL --dashboard 127.0.0.1:1", "crawl URL --quiet=yes", "crawl URL --nonsense",
     "crawl URL -- x", "mirror --help", "mirror URL --no-update", "mirror URL --update=yes", "mirror -o --update",
     "mirror URL --dashboard", "mirror --from-wget wget", "", "resume x", "--version x"],
)  # fmt: skip
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    assert not has_run(line.split())


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--version"], ("typer", "pydantic", "rich", "msgspec", "asyncio", "weft.config")),
        (
            ["crawl", "{}", "--allow-private", "--quiet", "--retry-wait-scale", "0.01"],
            (
                "typer",
                "pydantic",
                "rich",
                "aiodns",
                "weft.order.topic",
                "weft.engines.crawl",
                "weft.fetch.ftp",
                "tomllib",
            ),
        ),
        (
            ["mirror", "{}", "--allow-private", "--quiet", "--retry-wait-scale", "0.01"],
            ("typer", "pydantic", "rich", "aiodns", "turbohtml", "weft.engines.crawl"),
        ),
    ],
    ids=["version", "crawl", "mirror"],
)
def test_plain_words_wait_for_nothing_that_they_do_not_need(
    arguments: list[str], heavy: tuple[str, ...], tmp_path: Path
) -> None:
    words = [word.format(f"http://127.0.0.1:{closed_port()}/") for word in arguments]
    program = f"""
import sys
from weft.cli import main
sys.argv = ["weft", *{words!r}]
try:
    main()
except SystemExit as end:
    assert end.code == {Exit.SEEDS_FAILED.value}, end.code
print("loaded:", *(name for name in {heavy!r} if name in sys.modules))
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=own_environment(), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_a_filter_beside_the_user_is_found(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def refuses_all(link):\n    return True\n")
    url = f"http://127.0.0.1:{closed_port()}/"
    words = ("--allow-private", "--quiet", "--retry-wait-scale", "0.01", "--filter", "mine:refuses_all")
    done = Finished("crawl", url, *words, cwd=tmp_path)
    assert "mine" not in done.errors
