"""A response read back from where its bytes were kept."""

from __future__ import annotations

from weft.fetch.head import Headers
from weft.fetch.http1 import ResponseReader
from weft.types import Fetched, Timing
from weft.url import split

_REDIRECT = 301


def replay(url: str, response: bytes) -> Fetched:
    """The Fetched that these bytes once were, as far as reading the page needs it."""
    reader = ResponseReader()
    body = reader.feed(response)
    return _fetched(url, reader.status, reader.head, reader.headers, body, reader.chunked)


def replay_file(url: str, status: int, media_type: str, body: bytes) -> Fetched:
    """The same of what came by FTP, where status and headers are made up (weft.fetch.ftp)."""
    headers: Headers = ((b"content-type", media_type.encode()), (b"content-length", b"%d" % len(body)))
    if status == _REDIRECT:
        headers = ((b"location", split(url).path.encode() + b"/"),)
    return _fetched(url, status, b"", headers, body, False)


def _fetched(url: str, status: int, head: bytes, headers: Headers, body: bytes, chunked: bool) -> Fetched:
    return Fetched(
        url=url,
        address="",
        started_at=0.0,
        request=b"",
        status=status,
        head=head,
        headers=headers,
        body=body,
        spool=None,
        body_bytes=len(body),
        chunked=chunked,
        truncated=None,
        timing=Timing(),
    )
