"""A response read back from the archive, as if it had just come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import msgspec

from weft.errors import FolderError
from weft.fetch import replay, replay_file
from weft.store import read_record
from weft.store.records import MAX_RECORD_BYTES, Record
from weft.types import ArchivedBody, Fetched, Original, PageRow, RecordPlace
from weft.url import scheme_of


class Files(Protocol):
    """WARC files by number: an `Archive`, or those of several folders."""

    def path_of(self, file_id: int) -> Path:
        """Where the file is now. FolderError if that is not known here."""

    def name_of(self, file_id: int) -> str:
        """The file's final name."""

    def is_elsewhere(self, file_id: int) -> bool:
        """Whether it is not known here where the file is."""

    def names(self) -> Iterator[tuple[int, str]]:
        """All of them, also those that are elsewhere."""

    def files(self) -> list[tuple[Path, str, int]]:
        """Those that are here: where each is now, its final name, and up to which byte it is committed."""


def read_archived(
    url: str, place: RecordPlace, original: RecordPlace | None = None, most_bytes: int = MAX_RECORD_BYTES
) -> Fetched:
    """The response in a record. A revisit's record has the head only: its body lies in `original`.

    Of a larger one than `most_bytes`, the body's first bytes, and where all of it is.
    """
    stored_in = original or place
    record = read_record(stored_in, most_bytes)
    fetched = replay(url, record.block) if scheme_of(url).has_head else _file_by_ftp(url, record)
    head_bytes = len(fetched.head)
    if original is not None:
        fetched = replay(url, read_record(place).block + (fetched.body or b""))
    if len(record.block) == record.block_bytes:
        return fetched
    rest = ArchivedBody(stored_in, head_bytes)
    return msgspec.structs.replace(fetched, body_bytes=record.block_bytes - head_bytes, archived=rest)


def _file_by_ftp(url: str, record: Record) -> Fetched:
    """A resource; or only notes, where nothing came."""
    if record.fields.get("warc-type") == "resource":
        return replay_file(url, 200, record.fields.get("content-type", ""), record.block)
    notes = record.block.decode("utf-8", "replace").splitlines()
    status = next((note for note in notes if note.startswith("ftpStatus: ")), "ftpStatus: 0")
    return replay_file(url, int(status.partition(": ")[2]), "", b"")


def load_response(archive: Files, row: PageRow, most_bytes: int = MAX_RECORD_BYTES) -> Fetched:
    """The response of a row."""
    if not row.file:
        raise FolderError(f"the response of {row.url} was not kept: the crawl has no record of it (--archive none)")
    try:
        original = place_of(archive, row.original) if row.original is not None else None
        return read_archived(row.url, place_of(archive, row), original, most_bytes)
    except FolderError as error:
        # As what it is: a damaged record is one page's trouble.
        raise type(error)(f"cannot read {row.url} from the archive: {error}") from error


def place_of(archive: Files, record: PageRow | Original) -> RecordPlace:
    """Where a record lies now."""
    return RecordPlace(str(archive.path_of(record.file)), record.offset, record.length)
