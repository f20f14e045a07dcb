"""The body of a response in pieces, wherever it lies: for what does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from weft.fetch.decode import decoded_pieces, read_pieces
from weft.store import block_pieces
from weft.types import Fetched

_PIECE_BYTES: Final = 256 * 1024


def body_pieces(fetched: Fetched, *, keeps_codings: bool = False) -> Iterator[bytes]:
    """The body without chunking and compression; it ends where it is broken. Flawed where it costs work for nothing."""
    return decoded_pieces(_raw_pieces(fetched), () if keeps_codings else fetched.headers, fetched.chunked)


def _raw_pieces(fetched: Fetched) -> Iterator[bytes]:
    if fetched.archived is not None:
        return block_pieces(fetched.archived.record, fetched.archived.skip_bytes)
    if fetched.body is not None:
        body = fetched.body
        return (body[start : start + _PIECE_BYTES] for start in range(0, len(body), _PIECE_BYTES))
    assert fetched.spool is not None
    return read_pieces(fetched.spool)
