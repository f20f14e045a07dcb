"""A response read back from the archive, as if it had just come."""

from __future__ import annotations

from weft.fetch import replay
from weft.store import RecordPlace, read_response
from weft.types import Fetched


def read_archived(url: str, record: RecordPlace, original: RecordPlace | None = None) -> Fetched:
    """The response in a record. A revisit's record has the head only: its body lies in `original`."""
    response = read_response(record)
    if original is not None:
        response += replay(url, read_response(original)).body or b""
    return replay(url, response)
