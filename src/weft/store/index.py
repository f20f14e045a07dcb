"""Index files made from the page rows: `index.cdxj` for replay tools, `pages.jsonl` for everyone else.

Both are sorted on disk, so that their making needs little memory however large the crawl.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from pathlib import Path

import msgspec

from weft.errors import told_when_full
from weft.state import sync_path
from weft.store.sorted_lines import SortedLines
from weft.types import PageRow, RequestParts, SideRow
from weft.url import scheme_of, surt
from weft.whole_file import appearing_whole

NOT_MODIFIED = 304

_encode = msgspec.json.Encoder().encode


def write_cdxj(
    path: Path,
    pages: Iterable[PageRow],
    file_name: Callable[[int], str],
    sides: Iterable[tuple[int, int, SideRow]] = (),
) -> None:
    """One line an archived response or DNS answer: SURT key, time, and where the record lies.

    `sides` are records that are no page's, each behind its file and offset. An answer that says that nothing has
    changed has no line: replay tools would take it for the newest capture, and show nothing.
    """
    of_pages = (_cdxj_of_page(page, file_name(page.file)) for page in pages if page.file and _is_there(page))
    of_sides = (
        _cdxj_of_side(side, offset, file_name(file)) for file, offset, side in sides if side.status != NOT_MODIFIED
    )
    _write_sorted(path, chain(of_pages, of_sides))


def write_pages(path: Path, pages: Iterable[PageRow], file_name: Callable[[int], str]) -> None:
    """One line a visited URL, in the order of the visits."""
    ordered = (b"%020.6f " % page.fetched_at + _encode(page_object(page, file_name)) for page in pages)
    _write_sorted(path, ordered, skip=21)


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Lines in the order in which they come."""
    with told_when_full(path.name), appearing_whole(path) as out:
        out.writelines(line + b"\n" for line in lines)
    sync_path(path.parent)


def timestamp14(wall_s: float) -> str:
    """A time as CDX files have it."""
    return _second14(int(wall_s))


@lru_cache(maxsize=3600)
def _second14(wall_s: int) -> str:
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y%m%d%H%M%S")


def _is_there(page: PageRow) -> bool:
    """Whether its record can be shown: what is said instead of a file is metadata."""
    return page.status == 200 or (page.status != NOT_MODIFIED and scheme_of(page.url).has_head)


def _cdxj_of_page(page: PageRow, filename: str) -> bytes:
    mime = "warc/revisit" if page.original else page.mime
    fields = _cdxj_fields(page.url, mime, page.status, page.digest, page.length, page.offset, filename, page.parts)
    return f"{_key(page.url, page.parts)} {timestamp14(page.fetched_at)} ".encode() + fields


def _cdxj_of_side(side: SideRow, offset: int, filename: str) -> bytes:
    fields = _cdxj_fields(side.url, side.mime, side.status, side.digest, side.length, offset, filename, side.parts)
    key = side.url if side.url.startswith("dns:") else _key(side.url, side.parts)
    return f"{key} {timestamp14(side.fetched_at)} ".encode() + fields


def _key(url: str, parts: RequestParts | None) -> str:
    if parts is None or parts.method == "GET":
        return surt(url)
    from weft.store.post_query import key_of  # for those few only

    return key_of(url, parts)


def _cdxj_fields(
    url: str,
    mime: str,
    status: int,
    digest: str,
    length: int,
    offset: int,
    filename: str,
    parts: RequestParts | None = None,
) -> bytes:
    """The same fields as cdxj-indexer has; one that is not known is left out."""
    known: dict[str, str] = {"url": url}
    if mime:
        known["mime"] = mime
    if status:
        known["status"] = str(status)
    known |= {"digest": digest, "length": str(length), "offset": str(offset), "filename": filename}
    if parts is not None and parts.method != "GET":
        from weft.store.post_query import post_query

        known |= {"requestBody": post_query(parts), "method": parts.method}
    return _encode(known)


def page_object(page: PageRow, file_name: Callable[[int], str]) -> dict[str, object]:
    """What is told of a visited URL: a line of pages.jsonl."""
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
        "address": page.address,
        "attempts": page.attempts,
        "hops": page.hops,
        "connect_ms": round(page.timing.connect_s * 1000, 1),
        "wait_ms": round(page.timing.wait_s * 1000, 1),
        "receive_ms": round(page.timing.receive_s * 1000, 1),
    }
    if page.file:
        row |= {"file": file_name(page.file), "offset": page.offset, "length": page.length}
    if page.original is not None:
        row["revisit_of"] = page.original.url
    if page.unread is not None:
        row |= {"unread": page.unread, "links_read_bytes": page.links_read_bytes}
    if page.near:
        row["near_duplicate_of"] = page.near
    if page.parts is not None and page.parts.method != "GET":
        row["method"] = page.parts.method
    if page.leads_back:
        row["leads_back"] = True
    return row


def _write_sorted(path: Path, lines: Iterable[bytes], skip: int = 0) -> None:
    """Write the lines in byte order, without their first `skip` bytes."""
    with told_when_full(path.name), closing(SortedLines(lines, path.parent)) as ordered:
        write_lines(path, (line[skip:] for line in ordered))
