"""A response read back from the archive, as if it had just come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from weft.errors import CrawlFolderError
from weft.fetch import replay, replay_file
from weft.store import RecordPlace, read_block, read_ftp_record
from weft.store.reader import MAX_RECORD_BYTES, Block
from weft.types import ArchivedBody, Fetched, Original, PageRow
from weft.url import scheme_of

if TYPE_CHECKING:  # the workers have no database
    from weft.store import Archive


def read_archived(
    url: str, record: RecordPlace, original: RecordPlace | None = None, most_bytes: int = MAX_RECORD_BYTES
) -> Fetched:
    """The response in a record. A revisit's record has the head only: its body lies in `original`.

    Of a larger one than `most_bytes`, the body's first bytes, and where all of it is.
    """
    stored_in = record if original is None else original
    if not scheme_of(url).has_head:
        answer = read_ftp_record(record, most_bytes)
        fetched = replay_file(url, answer.status, answer.media_type, answer.block.data)
        return _with_rest(fetched, stored_in, answer.block, 0)
    block = read_block(stored_in, most_bytes)
    fetched = replay(url, block.data)
    head_bytes = len(fetched.head)
    if original is not None:
        fetched = replay(url, read_block(record).data + (fetched.body or b""))
    return _with_rest(fetched, stored_in, block, head_bytes)


def _with_rest(fetched: Fetched, place: RecordPlace, block: Block, head_bytes: int) -> Fetched:
    """Say where the body is, if the block has more of it."""
    if len(block.data) >= block.size_bytes:
        return fetched
    body = ArchivedBody(place.path, place.offset, place.length, block.skip_bytes + head_bytes)
    return msgspec.structs.replace(fetched, body_bytes=block.size_bytes - head_bytes, archived=body)


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
