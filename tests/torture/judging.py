"""What a crawl left in its folder, compared with the truth: counted, not asserted, so that a table can tell it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from tests.pipeline.crawling import CrawlFiles, is_side

EXTRACTOR = "tests.pipeline.extractors:url"  # gives one item a page: its URL
RESPONSES = ("response", "revisit")


@dataclass(slots=True)
class Findings:
    """What is wrong with a crawl; all zero and empty when nothing is."""

    pages_lost: int = 0
    stored_twice: int = 0
    items_lost: int = 0
    items_doubled: int = 0
    faults: tuple[str, ...] = ()  # of the archive, its index and the log, in words

    def __add__(self, other: Findings) -> Findings:
        return Findings(
            self.pages_lost + other.pages_lost,
            self.stored_twice + other.stored_twice,
            self.items_lost + other.items_lost,
            self.items_doubled + other.items_doubled,
            self.faults + other.faults,
        )


NOTHING_WRONG = Findings()


class Place(NamedTuple):
    """Where a record lies."""

    file: str
    offset: int
    length: int


class ArchivedRecord(NamedTuple):
    """A record as warcio reads it."""

    place: Place
    kind: str
    url: str
    is_sound: bool  # its digests are right


def judge(folder: Path, status: Mapping[str, int]) -> Findings:
    """Compare a crawl that came to its end with the URLs that it should have got, and their statuses."""
    files = CrawlFiles(folder)
    try:
        records = [record for path in files.warcs for record in records_of(path)]
    except ArchiveLoadFailed as error:
        return Findings(faults=(f"warcio cannot read the archive: {error}",))
    stored = Counter(record.url for record in records if record.kind in RESPONSES)
    got = files.responses()
    items = items_of(folder)
    expected_items = Counter(url for url, code in status.items() if 200 <= code < 300)
    return Findings(
        pages_lost=sum(url not in stored or got.get(url) != code for url, code in status.items()),
        stored_twice=sum(stored[url] > 1 for url in status),
        items_lost=(expected_items - items).total(),
        items_doubled=(items - expected_items).total(),
        faults=tuple(_faults(files, records, status)),
    )


def records_of(path: Path) -> Iterator[ArchivedRecord]:
    """All records of a WARC file, with the places where they lie.

    As `warcio check` does it, but bodies are read as they came: it has no decoder for brotli's present library.
    """
    with path.open("rb") as stream:
        iterator = ArchiveIterator(stream, check_digests=True)
        for record in iterator:
            iterator.read_to_end(record)
            place = Place(path.name, iterator.get_record_offset(), iterator.get_record_length())
            url = record.rec_headers.get_header("WARC-Target-URI") or ""
            yield ArchivedRecord(place, record.rec_type, url, record.digest_checker.passed is not False)


def items_of(folder: Path) -> Counter[str]:
    """How often each page has an item."""
    path = folder / "items.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    return Counter(json.loads(line)["url"] for line in lines)


def _faults(files: CrawlFiles, records: list[ArchivedRecord], status: Mapping[str, int]) -> Iterator[str]:
    if left_open := [path.name for path in files.warcs if path.suffix != ".gz"]:
        yield f"files are left open: {left_open}"
    if unsound := [record for record in records if not record.is_sound]:
        yield f"{len(unsound)} records have wrong digests, such as that at {unsound[0].place}"
    yield from _index_faults(files, records)
    rows = Counter(row.url for row in files.rows)
    if twice := [url for url, times in rows.items() if times > 1]:
        yield f"{len(twice)} pages have several rows, such as {twice[0]}"
    if others := rows.keys() - status.keys():
        yield f"{len(others)} rows are of no page of this web, such as {min(others)}"
    yield from _log_faults(files.folder / "crawl.log")


def _index_faults(files: CrawlFiles, records: list[ArchivedRecord]) -> Iterator[str]:
    """pages.jsonl and index.cdxj name each record where it lies, and each page's records are all there."""
    responses = {record.place: record.url for record in records if record.kind in RESPONSES}
    rows = {Place(row.file, row.offset, row.length): row.url for row in files.rows if row.file}
    if rows != {place: url for place, url in responses.items() if not is_side(url) or place in rows}:
        yield "pages.jsonl and the archive disagree"
    indexed = {}
    for line in files.cdxj_lines:
        fields = json.loads(line.split(b" ", 2)[2])
        indexed[Place(fields["filename"], int(fields["offset"]), int(fields["length"]))] = fields["url"]
    archived = responses | {record.place: record.url for record in records if record.kind == "resource"}
    if indexed != archived:
        yield f"index.cdxj and the archive disagree: {len(indexed)} lines, {len(archived)} records"
    metadata = Counter(record.url for record in records if record.kind == "metadata")
    if metadata != Counter(rows.values()):
        yield "the metadata records are not those of the pages"


def _log_faults(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        yield "crawl.log ends in the middle of a line"
    for number, line in enumerate(data.splitlines(), 1):
        try:
            json.loads(line)["url"]
        except (ValueError, KeyError):
            yield f"line {number} of crawl.log is no entry"
