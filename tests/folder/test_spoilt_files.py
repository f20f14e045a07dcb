"""A byte of a file in a crawl folder that is no UTF-8 any more: msgspec leaves it to Python to say so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.statuses import a_status
from weft.errors import FolderError
from weft.explain.log_tail import tries_of
from weft.folder.belonging import belonging_of
from weft.folder.databases import databases_of
from weft.folder.layout import FORMAT, load_config
from weft.live.status_file import load_status, write_status


@pytest.mark.parametrize(
    ("name", "content", "read"),
    [
        ("config.json", b'{"format":%d,"config":{"seeds":["http://a\xff/"]}}' % FORMAT, load_config),
        ("engines.json", b'{"names":["\xff"]}', databases_of),
        ("node.json", b'{"crawl":"\xff","node":"n","folder":"f"}', belonging_of),
    ],
)
def test_what_a_crawl_cannot_do_without_is_told(
    tmp_path: Path, name: str, content: bytes, read: Callable[[Path], object]
) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / name).write_bytes(content)
    with pytest.raises(FolderError, match="cannot read"):
        read(tmp_path)


def test_a_status_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    write_status(tmp_path, a_status())
    report = tmp_path / "report.json"
    assert load_status(tmp_path) is not None
    report.write_bytes(report.read_bytes().replace(b"http://", b"http:\xff/"))
    assert load_status(tmp_path) is None


def test_a_line_of_the_log_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    whole = b'{"time":"1","status":200,"outcome":"response","bytes":1,"url":"http://a.test/"}\n'
    (tmp_path / "crawl.log").write_bytes(whole.replace(b"1", b"\xff", 1) + whole)
    assert [one.at for one in tries_of([tmp_path / "crawl.log"], "http://a.test/")] == ["1"]
