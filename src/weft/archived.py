"""A response read back from the archive, as if it had just come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.errors import CrawlFolderError
from weft.fetch import replay, replay_file
from weft.store import RecordPlace, read_ftp_record, read_response
from weft.types import Fetched, Original, PageRow

if TYPE_CHECKING:  # the workers have no database
    from weft.store import Archive


def read_archived(url: str, record: RecordPlace, original: RecordPlace | None = None) -> Fetched:
    """The response in a record. A revisit's record has the head only: its body lies in `original`."""
    if url.startswith("ftp:"):
        answer = read_ftp_record(record)
        return replay_file(url, answer.status, answer.media_type, answer.body)
    response = read_response(record)
    if original is not None:
        response += replay(url, read_response(original)).body or b""
    return replay(url, response)


def load_response(archive: Archive, row: PageRow) -> Fetched:
    """The response of a row."""
    original = place_of(archive, row.original) if row.original is not None else None
    try:
        return read_archived(row.url, place_of(archive, row), original)
    except OSError as error:
        raise CrawlFolderError(f"cannot read {row.url} from the archive: {error.strerror}") from error


def place_of(archive: Archive, record: PageRow | Original) -> RecordPlace:
    """Where a record lies now."""
    return RecordPlace(str(archive.path_of(record.file)), record.offset, record.length)
