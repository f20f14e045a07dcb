"""The body of a response in pieces, wherever it lies: for what does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from weft.fetch.decode import decoded_pieces, read_pieces
from weft.store import RecordPlace, unpacked_record
from weft.types import ArchivedBody, Fetched

_PIECE_BYTES: Final = 256 * 1024


def body_pieces(fetched: Fetched) -> Iterator[bytes]:
    """The body without chunking and compression; it ends where it is broken. Flawed where it costs work for nothing."""
    return decoded_pieces(_raw_pieces(fetched), fetched.headers, fetched.chunked)


def _raw_pieces(fetched: Fetched) -> Iterator[bytes]:
    if fetched.archived is not None:
        return _archived_pieces(fetched.archived, fetched.body_bytes)
    if fetched.body is not None:
        body = fetched.body
        return (body[start : start + _PIECE_BYTES] for start in range(0, len(body), _PIECE_BYTES))
    assert fetched.spool is not None
    return read_pieces(fetched.spool)


def _archived_pieces(body: ArchivedBody, size_bytes: int) -> Iterator[bytes]:
    skip_bytes, left_bytes = body.skip_bytes, size_bytes
    for piece in unpacked_record(RecordPlace(body.path, body.offset, body.length)):
        part = piece[skip_bytes : skip_bytes + left_bytes]
        skip_bytes = max(0, skip_bytes - len(piece))
        left_bytes -= len(part)
        if part:
            yield part
