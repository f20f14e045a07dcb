"""A response read back from where its bytes were kept."""

from __future__ import annotations

from weft.fetch.http1 import ResponseReader
from weft.types import Fetched, Timing


def replay(url: str, response: bytes) -> Fetched:
    """The Fetched that these bytes once were, as far as reading the page needs it."""
    reader = ResponseReader()
    body = reader.feed(response)
    return Fetched(
        url=url,
        address="",
        started_at=0.0,
        request=b"",
        status=reader.status,
        head=reader.head,
        headers=reader.headers,
        body=body,
        spool=None,
        body_bytes=len(body),
        chunked=reader.chunked,
        truncated=None,
        timing=Timing(),
    )
