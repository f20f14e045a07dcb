"""Index files made from the page rows: `index.cdxj` for replay tools, `pages.jsonl` for everyone else.

Both are sorted on disk, so that their making needs little memory however large the crawl. `_lines` is built at
installation where there is a compiler: it makes the lines of usual pages, the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import cache, lru_cache
from itertools import chain, islice
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from weft.errors import told_when_full
from weft.in_thread import never, until_halted
from weft.store.sorted_lines import SortedLines, joined
from weft.types import PageRow, RequestParts, SideRow
from weft.url import scheme_of, surt
from weft.url.archive_key import key_of_origin
from weft.whole_file import appearing_whole

try:
    from weft.store import _lines
except ImportError:  # no compiler was there at installation
    _lines = None  # type: ignore[assignment]
if os.environ.get("WEFT_NO_SCANNER"):  # to compare the two, as in `parse.scan`
    _lines = None  # type: ignore[assignment]

NOT_MODIFIED = 304
RUN_LINES = 2_000  # of each of the two files, sorted in memory at once: some 4 MB in all
_TIME_CHARS = 21  # in front of the lines of visits, while they are sorted

_encode = msgspec.json.Encoder().encode
_decode = msgspec.msgpack.Decoder(PageRow).decode


def write_index(
    folder: Path,
    rows: Iterable[bytes],
    sides: Iterable[tuple[int, int, SideRow]],
    file_name: Callable[[int], str],
    *,
    has_captures: bool = True,
    is_halted: Callable[[], bool] = never,
) -> None:
    """Write `index.cdxj` and `pages.jsonl` into a folder; the pages' rows are read once for both.

    Where nothing is archived there are no captures, and no `index.cdxj`. Halted, it leaves each file whole.
    """
    cdxj, lines = folder / "index.cdxj", folder / "pages.jsonl"
    with (
        told_when_full(cdxj.name),
        closing(SortedLines(_cdxj_of_sides(sides, file_name), folder, RUN_LINES)) as captures,
        closing(SortedLines((), folder)) as visits,
    ):
        remaining, name_of = iter(rows), cache(file_name)
        runs = iter(lambda: [lines_of_page(row, name_of) for row in islice(remaining, RUN_LINES)], [])
        for run in until_halted(runs, is_halted):
            captures.add([capture for capture, _ in run if capture is not None])
            visits.add([visit for _, visit in run])
        if has_captures:
            _write_sorted(cdxj, captures, is_halted=is_halted)
        with told_when_full(lines.name):
            _write_sorted(lines, visits, skip=_TIME_CHARS, is_halted=is_halted)


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
    lines = chain(of_pages, _cdxj_of_sides(sides, file_name))
    with told_when_full(path.name), closing(SortedLines(lines, path.parent)) as captures:
        _write_sorted(path, captures)


def write_blocks(path: Path, blocks: Iterable[bytes]) -> None:
    """Whole lines, many at once, in the order in which they come."""
    with told_when_full(path.name), appearing_whole(path) as out:
        out.writelines(blocks)


class _CdxjFields(msgspec.Struct, gc=False, rename={"request_body": "requestBody"}):
    """In this order."""

    url: str
    mime: str | UnsetType
    status: str | UnsetType
    digest: str
    length: str
    offset: str
    filename: str
    request_body: str | UnsetType = UNSET
    method: str | UnsetType = UNSET


class PageLine(msgspec.Struct, gc=False):
    """What is told of a visited URL: a line of pages.jsonl."""

    url: str
    status: int
    fetched_at: str
    outcome: str
    depth: int
    kind: str
    via: str
    mime: str
    charset: str
    title: str
    body_bytes: int
    digest: str
    truncated: str
    noindex: bool
    address: str
    attempts: int
    hops: str
    connect_ms: float
    wait_ms: float
    receive_ms: float
    file: str | UnsetType = UNSET
    offset: int | UnsetType = UNSET
    length: int | UnsetType = UNSET
    revisit_of: str | UnsetType = UNSET
    unread: str | UnsetType = UNSET
    links_read_bytes: int | UnsetType = UNSET
    near_duplicate_of: str | UnsetType = UNSET
    method: str | UnsetType = UNSET
    leads_back: bool | UnsetType = UNSET


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


def _cdxj_of_sides(sides: Iterable[tuple[int, int, SideRow]], file_name: Callable[[int], str]) -> Iterator[bytes]:
    for file, offset, side in sides:
        if side.status != NOT_MODIFIED:
            yield _cdxj_of_side(side, offset, file_name(file))


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
    status_text = str(status) if status else UNSET
    known = _CdxjFields(url, mime or UNSET, status_text, digest, str(length), str(offset), filename)
    if parts is not None and parts.method != "GET":
        from weft.store.post_query import post_query

        known.request_body, known.method = post_query(parts), parts.method
    return _encode(known)


def page_object(page: PageRow, file_name: Callable[[int], str]) -> dict[str, object]:
    """What is told of a visited URL, by name."""
    told: dict[str, object] = msgspec.to_builtins(page_line(page, file_name))
    return told


def page_line(page: PageRow, file_name: Callable[[int], str]) -> PageLine:
    """What is told of a visited URL."""
    timing = page.timing
    line = PageLine(
        page.url,
        page.status,
        _iso_text(page.fetched_at),
        page.outcome,
        page.depth,
        page.kind,
        page.via,
        page.mime,
        page.charset,
        page.title,
        page.body_bytes,
        page.digest,
        page.truncated,
        page.noindex,
        page.address,
        page.attempts,
        page.hops,
        round(timing.connect_s * 10_000) / 10,
        round(timing.wait_s * 10_000) / 10,
        round(timing.receive_s * 10_000) / 10,
    )
    if page.file:
        line.file, line.offset, line.length = file_name(page.file), page.offset, page.length
    if page.original is not None:
        line.revisit_of = page.original.url
    if page.unread is not None:
        line.unread, line.links_read_bytes = page.unread, page.links_read_bytes
    if page.near:
        line.near_duplicate_of = page.near
    if page.parts is not None and page.parts.method != "GET":
        line.method = page.parts.method
    if page.leads_back:
        line.leads_back = True
    return line


def lines_of_page(row: bytes, file_name: Callable[[int], str]) -> tuple[bytes | None, bytes]:
    """A page's line of index.cdxj, if it has one, and that of pages.jsonl behind its time, by which it is sorted."""
    if _lines is not None and (usual := _lines.lines(row, file_name, key_of_origin)) is not None:
        return usual
    return lines_in_python(row, file_name)


def lines_in_python(row: bytes, file_name: Callable[[int], str]) -> tuple[bytes | None, bytes]:
    """The same for every page, be it as unusual as it may."""
    page = _decode(row)
    capture = _cdxj_of_page(page, file_name(page.file)) if page.file and _is_there(page) else None
    return capture, b"%0*.6f " % (_TIME_CHARS - 1, page.fetched_at) + _encode(page_line(page, file_name))


def _iso_text(wall_s: float) -> str:
    """A time as people write it, to the millisecond below."""
    whole = int(wall_s)
    micros = round((wall_s - whole) * 1_000_000)  # as datetime does
    if not 0 <= micros < 1_000_000:
        return datetime.fromtimestamp(wall_s, UTC).isoformat(timespec="milliseconds")
    return f"{_iso_second(whole)}.{micros // 1000:03}+00:00"


@lru_cache(maxsize=3600)
def _iso_second(wall_s: int) -> str:
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _write_sorted(path: Path, lines: SortedLines, skip: int = 0, *, is_halted: Callable[[], bool] = never) -> None:
    """Write lines without their first `skip` bytes."""
    with appearing_whole(path) as out:
        for block in until_halted(lines.blocks(), is_halted):
            out.writelines(joined([line[skip:] for line in block] if skip else block))
