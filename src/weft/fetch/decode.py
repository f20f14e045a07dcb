"""From the bytes of the wire to the bytes that were meant: chunking and compression undone, within a limit.

    pieces ──dechunk──▶ transfer codings ──▶ content codings, the last applied first ──▶ at most limit_bytes

Each stage is a generator that pulls from the one before, so a compression bomb stops at the limit however it
is stacked. Nothing is raised for bad data: what could be decoded comes back, with the `Flaw` that ended it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

from weft.fetch.chunks import ChunkScanner, dechunk_pieces
from weft.fetch.codings import DECODERS, Decoder, Flaw, Flawed
from weft.fetch.head import Headers
from weft.types import Fetched

_STEP_BYTES: Final = 256 * 1024
# A library that meets a fault drops what the same call had decoded: then all is done again in small steps.
_CAREFUL_STEP_BYTES: Final = 64
_FILE_PIECE_BYTES: Final = 64 * 1024
_MAX_CODINGS: Final = 5  # nobody stacks more in good faith

_NO_CODINGS: Final = frozenset((b"", b"identity", b"none", b"chunked"))

Source = Callable[[], Iterator[bytes]]


class Decoded(NamedTuple):
    """A body without its codings."""

    data: bytes
    flaw: Flaw | None


def decode_body(raw: bytes, headers: Headers, chunked: bool, limit_bytes: int) -> Decoded:
    """Decode a body in memory."""
    decoders, flaw = _plan(headers)
    if not chunked and not decoders:
        if len(raw) > limit_bytes:
            return Decoded(raw[:limit_bytes], Flaw.OVER_LIMIT)
        return Decoded(raw, flaw)
    return _decode(lambda: iter((raw,)), chunked, decoders, limit_bytes, flaw)


def decode_file(path: str | os.PathLike[str], headers: Headers, chunked: bool, limit_bytes: int) -> Decoded:
    """Decode a spooled body; only as much of the file is read as the limit needs."""
    decoders, flaw = _plan(headers)
    return _decode(lambda: read_pieces(path), chunked, decoders, limit_bytes, flaw)


def decode_response(fetched: Fetched, limit_bytes: int) -> Decoded:
    """The body of a response, wherever it lies, without chunking and compression."""
    if fetched.body is not None:
        return decode_body(fetched.body, fetched.headers, fetched.chunked, limit_bytes)
    assert fetched.spool is not None
    return decode_file(fetched.spool, fetched.headers, fetched.chunked, limit_bytes)


def decoded_pieces(pieces: Iterator[bytes], headers: Headers, chunked: bool) -> Iterator[bytes]:
    """The same for a body that is too large for memory, in pieces and without a limit; it ends where it is broken."""
    decoders, _ = _plan(headers)
    if chunked:
        pieces = _dechunk_or_flawed(pieces)
    for decoder in decoders:
        pieces = decoder(pieces, _STEP_BYTES)
    with suppress(Flawed):
        yield from pieces


def _plan(headers: Headers) -> tuple[list[Decoder], Flaw | None]:
    """The decoders in the order of their use, up to a coding that nobody knows."""
    content = []
    transfer = []
    for name, value in headers:
        if name == b"content-encoding":
            content += value.split(b",")
        elif name == b"transfer-encoding":
            transfer += value.split(b",")
    if not content and not transfer:
        return [], None
    labels = [coding.partition(b";")[0].strip().lower() for coding in reversed(content + transfer)]
    codings = [label for label in labels if label not in _NO_CODINGS]
    decoders: list[Decoder] = []
    for coding in codings:
        decoder = DECODERS.get(coding)
        if decoder is None or len(decoders) == _MAX_CODINGS:
            return decoders, Flaw.UNKNOWN_CODING
        decoders.append(decoder)
    return decoders, None


def _decode(source: Source, chunked: bool, decoders: list[Decoder], limit_bytes: int, flaw: Flaw | None) -> Decoded:
    decoded = _run(source(), chunked, decoders, limit_bytes, _STEP_BYTES)
    if decoded.flaw is Flaw.BROKEN and decoders:
        decoded = _run(source(), chunked, decoders, limit_bytes, _CAREFUL_STEP_BYTES)
    return Decoded(decoded.data, decoded.flaw or flaw)


def _run(pieces: Iterator[bytes], chunked: bool, decoders: list[Decoder], limit_bytes: int, step_bytes: int) -> Decoded:
    if chunked:
        pieces = _dechunk_or_flawed(pieces)
    for decoder in decoders:
        pieces = decoder(pieces, step_bytes)
    parts: list[bytes] = []
    room_bytes = limit_bytes
    flaw = None
    try:
        for piece in pieces:
            if len(piece) > room_bytes:
                parts.append(piece[:room_bytes])
                flaw = Flaw.OVER_LIMIT
                break
            parts.append(piece)
            room_bytes -= len(piece)
    except Flawed as flawed:
        flaw = flawed.flaw
    return Decoded(b"".join(parts), flaw)


def _dechunk_or_flawed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    scanner = ChunkScanner()
    yield from dechunk_pieces(pieces, scanner)
    if scanner.fault:
        raise Flawed(Flaw.BROKEN)
    if not scanner.last_chunk_seen:
        raise Flawed(Flaw.TRUNCATED)


def read_pieces(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """A file in pieces."""
    with open(path, "rb") as file:
        while piece := file.read(_FILE_PIECE_BYTES):
            yield piece
