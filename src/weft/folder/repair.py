"""`weft repair`: a crawl whose database is damaged or gone, made whole again from its archive.

    archive/*.warc.gz ──scan──▶ page, side, seen and warc rows, counters; a `relax` row for each page
    weft resume       ──▶ reads the links of these pages again from the archive, and queues what was never fetched

What only the database knew is lost: which URLs had failed or been refused (they are tried, and refused, again), when
each host was last asked (`resume` always waits as if it had been just now), cookies, and items that were on their way
to `items.jsonl`. But where the database is of an older format and can be read, its rows are carried over, all of them
(`older`). The new database appears when it is whole: until then `resume` finds none, and repair begins again.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

import msgspec

from weft.errors import FolderError
from weft.fetch import replay
from weft.folder import older
from weft.folder.archived_requests import parts_of
from weft.folder.databases import set_aside
from weft.folder.history import counts_after, keep_in_index
from weft.folder.items_parts import keep_parts
from weft.folder.layout import CrawlFolder, format_of
from weft.folder.page_rows import decode_page
from weft.folder.warc_files import warc_files
from weft.seen import Seen
from weft.state import Batch, State, is_at, sync_path
from weft.state.keys import host_key
from weft.stats import Counters
from weft.store.archive import add_finished_file, record_key
from weft.store.items import adopt_items
from weft.store.open_file import OPEN_SUFFIX
from weft.store.records import Record, scan_records
from weft.types import Kind, Original, PageRow, RequestParts, SideRow, Timing, Unread
from weft.url import host_of, id_of, scheme_of, url_id

ROWS_PER_BATCH = 500
NOT_MODIFIED = 304

_encode = msgspec.msgpack.Encoder().encode

Progress = Callable[[str, int], None]  # file, pages so far


class Repaired(msgspec.Struct):
    """What was found."""

    files: int = 0
    pages: int = 0
    sides: int = 0
    cut_bytes: int = 0  # of records that were not whole
    left_out: int = 0  # pages that referred to a record which is not there; they are fetched again
    cut_off: str = ""  # where these bytes are kept
    old_database: str = ""
    is_carried: bool = False  # all rows of an older format, so nothing was looked for in the archive


def repair(path: Path, progress: Progress = lambda file, pages: None) -> Repaired:
    """Make the state of the crawl in a folder again. The old database is kept beside the new one."""
    stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
    with closing(CrawlFolder(path, must_exist=True, may_be_older=True)) as folder:
        carried = folder.database.with_name("db-carried")  # of a repair that was stopped at the last moment, or of this
        if carried.exists() or _carry(folder, carried):
            result = Repaired(old_database=_set_aside(folder, stamp), is_carried=True)
            _take_over(folder, carried)
            _count(folder.database, result)
            return result
        folder.refuse_without_notes()
        result = Repaired(old_database=_set_aside(folder, stamp))
        with _unfinished(folder) as (state, unfinished):
            _Rebuilding(state, folder, result, progress, folder.state / f"cut-off-by-repair-{stamp}").run()
        _take_over(folder, unfinished)
        return result


def _carry(folder: CrawlFolder, to: Path) -> bool:
    """Put the rows of an older format under the keys of today; False if that is not what is there, or not readable."""
    if format_of(folder.path) != older.FORMAT or not is_at(folder.database):
        return False
    try:
        old = State(folder.database)  # not read-only: families that it lacks are added, or it could not be opened
        with closing(old), _unfinished(folder) as (state, unfinished):
            rows = older.rows_of_today(old)
            while some := list(islice(rows, ROWS_PER_BATCH)):
                batch = state.batch()
                for row in some:
                    batch.put(*row)
                state.write(batch)
    except (FolderError, msgspec.MsgspecError, UnicodeDecodeError):  # it is damaged after all
        return False
    unfinished.rename(to)
    return True


@contextmanager
def _unfinished(folder: CrawlFolder) -> Iterator[tuple[State, Path]]:
    """A new database, safe on disk once it is filled, and where it is."""
    path = folder.database.with_name("db-unfinished")
    shutil.rmtree(path, ignore_errors=True)  # of a repair that was stopped
    with closing(State(path)) as state:
        yield state, path
        state.sync()


def _take_over(folder: CrawlFolder, database: Path) -> None:
    """Make a database that is whole the crawl's own. The format first: until the database is there, nobody reads it."""
    folder.save_config(folder.load_config())
    database.rename(folder.database)
    sync_path(folder.state)


def _count(database: Path, result: Repaired) -> None:
    with closing(State(database, is_read_only=True)) as state:
        result.files, result.pages, result.sides = (
            sum(1 for _ in state.scan(family)) for family in ("warc", "page", "side")
        )


def _set_aside(folder: CrawlFolder, stamp: str) -> str:
    keep_parts(folder.path)
    aside = set_aside(folder.path, f"db-before-repair-{stamp}")
    return "" if aside is None else folder.in_words(aside)


class _Rebuilding:
    def __init__(self, state: State, folder: CrawlFolder, result: Repaired, progress: Progress, cut_off: Path) -> None:
        self._state = state
        self._folder = folder
        self._cut_off = cut_off
        self._config = folder.load_config()
        self._seeds = {seed: number for number, seed in reversed(list(enumerate(self._config.seeds)))}
        self._result = result
        self._progress = progress
        self._seen = Seen(state, is_new_crawl=True)
        self._counters = Counters()
        self._scope_seeds = dict.fromkeys(self._config.seeds)
        self._visits: Counter[str] = Counter()  # by host
        self._revisits: list[tuple[PageRow, str]] = []  # and the URL that each refers to
        self._in_batch: dict[bytes, PageRow] = {}  # filled by _put_page, emptied by _write; bound: ROWS_PER_BATCH
        # Records that do not count any more, which others may refer to. Bound: pages that updates found changed.
        self._replaced: dict[tuple[bytes, str], PageRow] = {}

    def run(self) -> None:
        for file_id, file in warc_files(self._folder.archive):
            self._take_file(file_id, file)
        batch = self._state.batch()
        for row, target in self._revisits:
            self._take_revisit(batch, row, target)
        adopt_items(batch, self._folder.path / "items.jsonl")
        if self._config.max_pages_per_host is not None:
            for host, count in self._visits.items():
                batch.put("visits", host_key(host), count.to_bytes(4, "big"))
        batch.put("meta", b"scope-seeds", _encode(list(self._scope_seeds)))
        batch.put("meta", b"counters", _encode(self._counters))
        self._write(batch)

    def _take_file(self, file_id: int, file: Path) -> None:
        self._progress(file.name, self._result.pages)
        batch = self._state.batch()
        end = 0
        waiting = 0
        response: Record | None = None
        request: Record | None = None
        for record in scan_records(file):
            end = record.offset + record.length
            match record.fields.get("warc-type"):
                case "response" | "revisit" | "resource" if not _is_dns(record):
                    if response is not None:
                        self._take_side(batch, file_id, response)
                    response, request = record, None
                case "request":
                    request = record
                case "resource":
                    if response is not None:
                        self._take_side(batch, file_id, response)
                        response = None
                    self._take_side(batch, file_id, record)
                case "metadata" if response is not None and _is_about(record, response):
                    fields = _fields_of(record.block)
                    parts = parts_of(fields.get("requestKey", ""), response, request, file)
                    self._take_page(batch, file_id, response, fields, parts)
                    response = None
            waiting += 1
            if waiting == ROWS_PER_BATCH:
                self._write(batch)
                self._progress(file.name, self._result.pages)
                batch, waiting = self._state.batch(), 0
        if response is not None and _may_lack_notes(response, file):
            end = response.offset
        elif response is not None:
            self._take_side(batch, file_id, response)
        self._finish_file(batch, file_id, file, end)
        self._write(batch)

    def _finish_file(self, batch: Batch, file_id: int, file: Path, end: int) -> None:
        """Cut off what is not whole, and give the file its final name."""
        self._result.files += 1
        if cut_bytes := file.stat().st_size - end:
            self._result.cut_bytes += cut_bytes
            self._result.cut_off = self._folder.in_words(self._cut_off)
            _keep_rest(file, end, self._cut_off)
        if not end:
            file.unlink()
            return
        os.truncate(file, end)
        sync_path(file)
        final = file.with_name(file.name.removesuffix(OPEN_SUFFIX))
        file.rename(final)
        add_finished_file(batch, file_id, final.name, end)

    def _take_page(
        self, batch: Batch, file_id: int, response: Record, notes: dict[str, str], parts: RequestParts | None
    ) -> None:
        row = _page_row(file_id, response, notes, self._seeds, parts)
        if row is None:
            return
        if response.fields["warc-type"] == "revisit":
            self._revisits.append((row, response.fields.get("warc-refers-to-target-uri", "")))
        else:
            self._put_page(batch, row)

    def _take_revisit(self, batch: Batch, row: PageRow, target: str) -> None:
        original = self._original(url_id(target), row.digest)
        if original is None:
            self._result.left_out += 1
            return
        refers_to = Original(
            original.url, original.fetched_at, original.digest, original.file, original.offset, original.length
        )
        self._counters.revisits += 1
        self._put_page(batch, msgspec.structs.replace(row, original=refers_to, mime=original.mime))

    def _original(self, key: bytes, digest: str) -> PageRow | None:
        """The record of a URL that holds this payload: the one that counts, or another."""
        known = self._known(key)
        if known is not None and known.original is None and known.digest == digest:
            return known
        return self._replaced.get((key, digest))

    def _put_page(self, batch: Batch, row: PageRow) -> None:
        key = id_of(row)
        is_new = self._seen.depth(key) is None
        self._counters.count_response(row.status, row.body_bytes)
        self._seen.add(batch, key, row.depth)
        if is_new:
            self._result.pages += 1
            self._counters.seen += 1
            self._visits[host_of(row.url)] += 1
            batch.put("relax", key, b"")
        else:
            row = self._which_counts(batch, key, row)
        self._count_answer(row, 1)
        self._in_batch[key] = row
        batch.put("page", key, _encode(row))
        if row.kind is Kind.SEED:
            self._scope_seeds[row.url] = None

    def _which_counts(self, batch: Batch, key: bytes, row: PageRow) -> PageRow:
        """Of two records of a URL, by an update or by a worker that was killed: the newer, if it says more than that
        nothing has changed or that something was wrong. The other stays in the index.
        """
        known = self._known(key)
        assert known is not None
        self._count_answer(known, -1)
        before, now = (known, row) if known.fetched_at <= row.fetched_at else (row, known)
        newer_counts = now.status != NOT_MODIFIED and not now.truncated and counts_after(before, now)
        counts, other = (now, before) if newer_counts else (before, now)
        keep_in_index(batch, other)
        if other.original is None:
            self._replaced[key, other.digest] = other
        return counts

    def _known(self, key: bytes) -> PageRow | None:
        if key in self._in_batch:
            return self._in_batch[key]
        found = self._state.get("page", key)
        return decode_page(found) if found else None

    def _count_answer(self, row: PageRow, times: int) -> None:
        self._counters.pages += times * (200 <= row.status < 300)
        self._counters.redirects += times * (300 <= row.status < 400)

    def _take_side(self, batch: Batch, file_id: int, record: Record) -> None:
        fields = record.fields
        url = fields.get("warc-target-uri", "")
        status, mime, body_bytes = _http_facts(url, record)
        row = SideRow(
            url, _wall_s(fields), status, mime, fields.get("warc-payload-digest", ""), record.length, body_bytes
        )
        batch.put("side", record_key(file_id, record.offset), _encode(row))
        self._result.sides += 1

    def _write(self, batch: Batch) -> None:
        self._state.write(batch)
        self._seen.settle()
        self._in_batch.clear()


def _may_lack_notes(last: Record, file: Path) -> bool:
    """Whether the last response of a file is a page's that was not written to its end.

    Behind a page's response stands what is noted of it; only robots.txt has no notes. A file with its final name
    lacks nothing.
    """
    return file.name.endswith(OPEN_SUFFIX) and not last.fields.get("warc-target-uri", "").endswith("/robots.txt")


def _keep_rest(file: Path, end: int, folder: Path) -> None:
    """Put what will be cut off a file where a person may look at it: nothing is destroyed."""
    folder.mkdir(exist_ok=True)
    with file.open("rb") as source, (folder / file.name).open("wb") as rest:
        source.seek(end)
        shutil.copyfileobj(source, rest)


def _page_row(
    file_id: int, response: Record, notes: dict[str, str], seeds: dict[str, int], parts: RequestParts | None
) -> PageRow | None:
    fields = response.fields
    url = fields.get("warc-target-uri", "")
    status, mime, body_bytes = _http_facts(url, response)
    try:
        depth, kind, redirects = int(notes["depth"]), Kind(notes["kind"]), int(notes["redirects"])
    except (KeyError, ValueError):
        return None  # not one of our pages: it will be fetched, if it belongs to the crawl
    source = notes.get("sourceTag", "")
    return PageRow(
        url=url,
        status=status,
        fetched_at=_wall_s(fields),
        depth=depth,
        mime=mime,
        digest=fields.get("warc-payload-digest", ""),
        file=file_id,
        offset=response.offset,
        length=response.length,
        body_bytes=body_bytes,
        charset=notes.get("charsetForLinkExtraction", ""),
        title=notes.get("title", ""),
        via=notes.get("via", ""),
        kind=kind,
        redirects=redirects,
        truncated=fields.get("warc-truncated", ""),
        address=fields.get("warc-ip-address", ""),
        timing=Timing(wait_s=int(notes.get("fetchTimeMs", 0)) / 1000),
        hops=notes.get("hopsFromSeed", ""),
        seed=seeds.get(source, -1),
        unread=_unread(notes.get("linksUnread")),
        links_read_bytes=int(notes.get("linksReadBytes", 0)),
        outside=1,  # nobody knows: should the scope grow, it is read again
        parts=parts,
    )


def _unread(name: str | None) -> Unread | None:
    return Unread(name) if name in set(Unread) else None


def _http_facts(url: str, record: Record) -> tuple[int, str, int]:
    """Status, media type and length of the body; of a record without HTTP, only its own type."""
    content_type = record.fields.get("content-type", "")
    if not scheme_of(url).has_head:
        return 200, content_type.partition(";")[0], record.block_bytes
    if not content_type.startswith("application/http"):
        return 0, content_type, 0
    response = replay(url, record.block)
    return response.status, response.media_type, record.block_bytes - len(response.head)


def _is_about(notes: Record, response: Record) -> bool:
    """Of what did not come by FTP there are only notes, which are about no record."""
    return notes.fields.get("warc-concurrent-to") == response.fields.get("warc-record-id")


def _is_dns(record: Record) -> bool:
    return record.fields.get("warc-target-uri", "").startswith("dns:")


def _fields_of(block: bytes) -> dict[str, str]:
    pairs = (line.partition(": ") for line in block.decode("utf-8", "replace").splitlines())
    return {name: value for name, _, value in pairs}


def _wall_s(fields: dict[str, str]) -> float:
    try:
        return datetime.fromisoformat(fields["warc-date"]).timestamp()
    except (KeyError, ValueError) as error:
        raise FolderError(f"a record of {fields.get('warc-target-uri')} has no date") from error
