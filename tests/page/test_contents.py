"""A body has the same links however it came, and wherever it lies."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from weft.fetch import replay
from weft.folder.archived import read_archived
from weft.page import Page
from weft.page.contents import read_contents
from weft.page.large_pages import MAX_TREE_BYTES
from weft.parse import LongPage
from weft.parse.scan import NO_SCANNER, has_scanner
from weft.store import WarcWriter
from weft.types import Fetched, Original, PageRow, RecordPlace

URL = "http://a.example/dir/page"
HTML = b"text/html; charset=utf-8"
START = b"<!DOCTYPE html><title>T</title><a href=first>1</a><table><a href=doubtful>2</a></table>"
LONG = START + (b"<p>%b</p>\n" % (b"text " * 10)) * (MAX_TREE_BYTES // 58 + 1) + b"<a href=last>3</a>"
DENSE = START + b"<p>" * 500_000 + b"<a href=last>3</a>"
LINKS = [f"http://a.example/dir/{name}" for name in ("first", "doubtful", "last")]


def response(body: bytes, *headers: bytes, length: bool = True) -> bytes:
    lines = [b"HTTP/1.1 200 OK", b"Content-Type: " + HTML, *headers]
    return b"\r\n".join([*lines, b"Content-Length: %d" % len(body)] if length else lines) + b"\r\n\r\n" + body


def plain(body: bytes) -> bytes:
    return response(body)


def packed(body: bytes) -> bytes:
    packer = zlib.compressobj(1, wbits=31)
    return response(packer.compress(body) + packer.flush(), b"Content-Encoding: gzip")


def chunked(body: bytes) -> bytes:
    chunks = (body[start : start + 70_001] for start in range(0, len(body), 70_001))
    framed = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    return response(framed, b"Transfer-Encoding: chunked", length=False)


def in_memory(raw: bytes, folder: Path) -> Fetched:
    return replay(URL, raw)


def spooled(raw: bytes, folder: Path) -> Fetched:
    fetched = replay(URL, raw)
    spool = folder / "spool"
    spool.write_bytes(fetched.body or b"")
    return msgspec.structs.replace(fetched, body=None, spool=str(spool))


def stored(folder: Path, fetched: Fetched, original: Original | None = None) -> RecordPlace:
    path = folder / "weft-1.warc.gz.open"
    writer = WarcWriter(str(path), 1, path.stat().st_size if path.exists() else 0, {})
    at = writer.write(fetched, b"", original)
    writer.close()
    return RecordPlace(str(path), at.offset, at.length)


def archived(raw: bytes, folder: Path) -> Fetched:
    return read_archived(URL, stored(folder, replay(URL, raw)))


def archived_in_parts(raw: bytes, folder: Path) -> Fetched:
    fetched = read_archived(URL, stored(folder, replay(URL, raw)), most_bytes=2_000)
    assert fetched.archived is not None
    return fetched


WAYS = [in_memory, spooled, archived, archived_in_parts]


def links(fetched: Fetched) -> tuple[list[str], str]:
    contents = read_contents(fetched, HTML.decode())
    assert isinstance(contents, LongPage)
    return [found.url for part in contents.parts() for found in part.links], str(contents.unread)


@pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")
@pytest.mark.parametrize("sent", [plain, packed, chunked])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("body", [LONG, DENSE], ids=["long", "dense"])
def test_a_large_page_has_the_same_links_however_it_came(
    sent: Callable[[bytes], bytes], way: Callable[[bytes, Path], Fetched], body: bytes, tmp_path: Path
) -> None:
    fetched = way(sent(body), tmp_path)
    assert links(fetched) == (LINKS, "no-tree")
    page = Page(PageRow(URL, 200, 0.0, 0), lambda: fetched)
    assert (page.links, page.title) == (LINKS, "T")


@pytest.mark.skipif(not has_scanner(), reason="the scanner was not built")
def test_the_links_of_a_revisit_are_those_of_its_original(tmp_path: Path) -> None:
    first = replay(URL, plain(LONG))
    place = stored(tmp_path, first)
    again = RecordPlace(place.path, place.offset, place.length)
    fetched = read_archived(URL, again, place, most_bytes=20_000)
    assert links(fetched) == (LINKS, "no-tree")


def test_without_a_scanner_the_beginning_of_a_large_page_is_read_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(response(LONG))
    (tmp_path / "dense").write_bytes(response(DENSE))
    script = (
        "import sys; from pathlib import Path\n"
        "from weft.page.contents import read_contents; from weft.fetch import replay\n"
        "for name in ('long', 'dense'):\n"
        f"    page = read_contents(replay({URL!r}, Path(sys.argv[1], name).read_bytes()), 'text/html')\n"
        "    print([found.url for found in page.links], page.unread, page.links_read_bytes)"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, tmp_path],
        env={**os.environ, NO_SCANNER: "1"},
        capture_output=True,
        check=True,
        text=True,
    )
    assert run.stdout.splitlines() == [
        f"{LINKS[:2]} no-scanner {MAX_TREE_BYTES}",
        f"{LINKS[:2]} no-scanner {len(DENSE) // 2}",
    ]
