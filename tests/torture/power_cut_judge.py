"""What a crawl had promised before a power cut, and whether its end keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import msgspec
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from tests.pipeline.crawling import CrawlFiles
from tests.torture import judging
from weft.folder.layout import database_of
from weft.folder.page_rows import pages_in
from weft.state import State
from weft.store.archive import WarcRow

PRECISION = timedelta(milliseconds=2)  # of pages.jsonl

Place = tuple[str, int, int, str]  # file, offset, length, digest


@dataclass(slots=True)
class Acknowledged:
    """What must not be lost: the places of pages by URL, and the beginning of items.jsonl."""

    pages: dict[str, Place] = field(default_factory=dict)
    items: bytes = b""

    def and_then(self, later: Acknowledged) -> Acknowledged:
        """Both; where one knows more, more."""
        return Acknowledged(self.pages | later.pages, max(self.items, later.items, key=len))


def read_acknowledged(crawl: Path) -> Acknowledged:
    """What a folder says for certain: pages whose records it calls synced, and the items moved.

    To be asked of the folder as it was when a sync of the database began that has ended since.
    """
    if not (database_of(crawl) / "CURRENT").is_file():
        return Acknowledged()
    state = State(database_of(crawl), is_read_only=True)
    try:
        rows = {
            int.from_bytes(key, "big"): msgspec.msgpack.decode(row, type=WarcRow) for key, row in state.scan("warc")
        }
        end = state.get("meta", b"items-end")
        items_end = msgspec.msgpack.decode(end, type=tuple[int, int])[0] if end else 0
        pages = {
            page.url: (rows[page.file].name, page.offset, page.length, page.digest)
            for page in pages_in(state)
            if page.file and page.offset < rows[page.file].synced_end
        }
    finally:
        state.close()
    items = (crawl / "items.jsonl").read_bytes()[:items_end] if items_end else b""
    return Acknowledged(pages, items)


@dataclass(slots=True)
class Verdict:
    """How far the end of a crawl is from the truth; all zeros is what we want, but for the log."""

    pages_lost: int = 0
    pages_twice: int = 0
    items_lost: int = 0
    items_twice: int = 0
    promises_broken: int = 0  # acknowledged pages that are elsewhere now, acknowledged lines that are gone
    archive_faults: int = 0  # of files, index and rows
    log_faults: int = 0  # lines of crawl.log, which nobody promised
    notes: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """The figures by name."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "notes"}

    def is_good(self) -> bool:
        """Whether all is as it should be."""
        return not any(count for name, count in self.counts().items() if name != "log_faults")


def judge(crawl: Path, status: Mapping[str, int], acknowledged: Acknowledged) -> Verdict:
    """Compare what a finished crawl left with the truth and with its own promises."""
    found = judging.judge(crawl, status)
    log_faults = [fault for fault in found.faults if "crawl.log" in fault]
    files = CrawlFiles(crawl)
    archive = [fault for fault in found.faults if fault not in log_faults]
    try:
        archive += _time_faults(files)
    except ArchiveLoadFailed as error:
        archive.append(f"warcio cannot read the archive: {str(error)[:200]}")
    promises = [*_broken_promises(files, acknowledged)]
    return Verdict(
        pages_lost=found.pages_lost,
        pages_twice=found.stored_twice,
        items_lost=found.items_lost,
        items_twice=found.items_doubled,
        promises_broken=len(promises),
        archive_faults=len(archive),
        log_faults=len(log_faults),
        notes=[*archive, *promises],
    )


def _broken_promises(files: CrawlFiles, acknowledged: Acknowledged) -> Iterator[str]:
    now = {row.url: (row.file, row.offset, row.length, row.digest) for row in files.rows}
    for url, place in acknowledged.pages.items():
        if now.get(url) != place:
            yield f"acknowledged {url} at {place}, now {now.get(url)}"
    items = files.folder / "items.jsonl"
    if acknowledged.items and not items.read_bytes().startswith(acknowledged.items):
        yield "acknowledged lines of items.jsonl are not there"


class DatedRecord(NamedTuple):
    """A record, when it was fetched, and if it is a revisit, of what and when."""

    kind: str
    url: str
    date: str
    original: tuple[str, str]


def _time_faults(files: CrawlFiles) -> Iterator[str]:
    """A row tells of the very fetch whose record lies at its place; a revisit, of a record that is there."""
    records = {path.name: _records_of(path) for path in files.warcs}
    for line in (files.folder / "pages.jsonl").read_bytes().splitlines():
        row = json.loads(line)
        if row.get("file") and (record := records[row["file"]].get(row["offset"])) is not None:
            apart = datetime.fromisoformat(row["fetched_at"]) - datetime.fromisoformat(record.date)
            if record.url != row["url"] or abs(apart) > PRECISION:
                yield f"{row['url']}, fetched at {row['fetched_at']}, is {record}"
    all_records = [record for found in records.values() for record in found.values()]
    responses = {(record.url, record.date) for record in all_records if record.kind == "response"}
    for record in all_records:
        if record.kind == "revisit" and record.original not in responses:
            yield f"a revisit of nothing: {record}"


def _records_of(path: Path) -> dict[int, DatedRecord]:
    """The records of a file by offset."""
    found = {}
    with path.open("rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            header = record.rec_headers.get_header
            original = header("WARC-Refers-To-Target-URI", ""), header("WARC-Refers-To-Date", "")
            found[records.get_record_offset()] = DatedRecord(
                record.rec_type, header("WARC-Target-URI", ""), header("WARC-Date"), original
            )
    return found
