"""Index files made from the page rows: `index.cdxj` for replay tools, `pages.jsonl` for everyone else.

Both are sorted on disk, so that their making needs little memory however large the crawl.
"""

from __future__ import annotations

import heapq
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import msgspec

from weft.types import Page
from weft.url import surt

RUN_LINES = 100_000

_encode = msgspec.json.Encoder().encode


def write_cdxj(path: Path, pages: Iterable[Page], file_name: Callable[[int], str]) -> None:
    """One line an archived response: SURT key, time, and where the record lies."""
    lines = (_cdxj_line(page, file_name(page.file)) for page in pages if page.file)
    _write_sorted(path, lines)


def write_pages(path: Path, pages: Iterable[Page], file_name: Callable[[int], str]) -> None:
    """One line a visited URL, in the order of the visits."""
    ordered = (b"%020.6f " % page.fetched_at + _encode(_page_object(page, file_name)) for page in pages)
    _write_sorted(path, ordered, skip=21)


def timestamp14(wall_s: float) -> str:
    """A time as CDX files have it."""
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y%m%d%H%M%S")


def _cdxj_line(page: Page, filename: str) -> bytes:
    fields = {
        "url": page.url,
        "mime": page.mime or "unk",
        "status": str(page.status),
        "digest": page.digest,
        "length": str(page.length),
        "offset": str(page.offset),
        "filename": filename,
    }
    return f"{surt(page.url)} {timestamp14(page.fetched_at)} ".encode() + _encode(fields)


def _page_object(page: Page, file_name: Callable[[int], str]) -> dict[str, object]:
    row: dict[str, object] = {
        "url": page.url,
        "status": page.status,
        "fetched_at": datetime.fromtimestamp(page.fetched_at, UTC).isoformat(timespec="milliseconds"),
        "outcome": page.outcome,
        "depth": page.depth,
        "kind": page.kind,
        "via": page.via,
        "mime": page.mime,
        "charset": page.charset,
        "title": page.title,
        "body_bytes": page.body_bytes,
        "digest": page.digest,
        "truncated": page.truncated,
        "noindex": page.noindex,
    }
    if page.file:
        row |= {"file": file_name(page.file), "offset": page.offset, "length": page.length}
    return row


def _write_sorted(path: Path, lines: Iterable[bytes], skip: int = 0) -> None:
    """Write the lines in byte order, without their first `skip` bytes; the file appears whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".sort-") as folder, temporary.open("wb") as out:
        runs = [_lines_of(run) for run in _sorted_runs(Path(folder), iter(lines))]
        for line in heapq.merge(*runs):
            out.write(line[skip:])
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(path)


def _sorted_runs(folder: Path, lines: Iterator[bytes]) -> Iterator[Path]:
    number = 0
    while run := sorted(islice(lines, RUN_LINES)):
        number += 1
        path = folder / str(number)
        path.write_bytes(b"".join(line + b"\n" for line in run))
        yield path


def _lines_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file
