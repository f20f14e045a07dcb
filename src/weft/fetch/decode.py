"""From the bytes of the wire to the bytes that were meant: chunking and compression undone, within limits.

    pieces ──dechunk──▶ feed ─▶ transfer codings ──▶ feed ─▶ content codings, the last applied first ──▶ limit_bytes

Each stage is a generator that pulls from the one before, so a compression bomb stops at the limit however it
is stacked. What yields nothing stops, too: each layer has a feed, which counts what the layer reads (`Effort`).
Nothing is raised for bad data: what could be decoded comes back, with the `Flaw` that ended it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Final, NamedTuple

from weft.fetch.chunks import ChunkScanner, dechunk_pieces
from weft.fetch.codings import DECODERS, Decoder, Flaw, Flawed, gunzip, sliced
from weft.fetch.head import Headers
from weft.types import Fetched

KIB: Final = 1024
_STEP_BYTES: Final = 256 * KIB
_AT_ONCE_BYTES: Final = 1024 * KIB
# A library that meets a fault drops what the same call had decoded: then all is done again, and where the fault was, in
# small steps.
_CAREFUL_STEP_BYTES: Final = 64
# Of input at once: what a library does not take of it is copied at each call.
_SLICE_BYTES: Final = 64 * KIB
# Honest servers use one, rarely two.
_MAX_CODINGS: Final = 3
# No compression makes data twice as long, and what is compressed already does not become a sixteenth by another layer.
_MOST_INPUT_PER_OUTPUT: Final = 2
_MOST_INPUT_PER_WIRE_BYTE: Final = 16

_GZIP_ALONE: Final = [DECODERS[b"gzip"]]
_CODING_HEADERS: Final = frozenset((b"content-encoding", b"transfer-encoding"))
_NO_CODINGS: Final = frozenset((b"", b"identity", b"none", b"chunked"))

Source = Callable[[], Iterator[bytes]]


class Effort(NamedTuple):
    """How much a layer may read. The worst known input takes 0.5 µs a byte, and yields nothing."""

    free_bytes: int = 256 * KIB  # before it counts what the layer has yielded, and what the wire has brought
    most_bytes: int | None = None  # in any case
    slice_bytes: int = _SLICE_BYTES  # at once, and so beyond the bounds


_EFFORT: Final = Effort()


class Decoded(NamedTuple):
    """A body without its codings."""

    data: bytes
    flaw: Flaw | None


# As in `url.parts`: of most bodies, half of the time that the class itself takes.
_decoded: Final[Callable[[tuple[bytes, Flaw | None]], Decoded]] = partial(tuple.__new__, Decoded)


def decode_body(raw: bytes, headers: Headers, chunked: bool, limit_bytes: int, effort: Effort = _EFFORT) -> Decoded:
    """Decode a body in memory."""
    decoders, flaw = _plan(headers)
    if not chunked and not decoders:
        if len(raw) > limit_bytes:
            return Decoded(raw[:limit_bytes], Flaw.OVER_LIMIT)
        return _decoded((raw, flaw))
    if (
        len(raw) <= _SLICE_BYTES
        and flaw is None
        and (data := _at_once(raw, chunked, decoders, limit_bytes)) is not None
    ):
        return Decoded(data, None)
    return _decode(lambda: iter((raw,)), chunked, decoders, limit_bytes, flaw, effort)


def decode_file(
    path: str | os.PathLike[str], headers: Headers, chunked: bool, limit_bytes: int, effort: Effort = _EFFORT
) -> Decoded:
    """Decode a spooled body; only as much of the file is read as the limit needs."""
    decoders, flaw = _plan(headers)
    return _decode(lambda: read_pieces(path), chunked, decoders, limit_bytes, flaw, effort)


def decode_response(fetched: Fetched, limit_bytes: int, effort: Effort = _EFFORT) -> Decoded:
    """The body of a response, wherever it lies, without chunking and compression."""
    if fetched.body is not None:
        return decode_body(fetched.body, fetched.headers, fetched.chunked, limit_bytes, effort)
    assert fetched.spool is not None
    return decode_file(fetched.spool, fetched.headers, fetched.chunked, limit_bytes, effort)


def decoded_pieces(pieces: Iterator[bytes], headers: Headers, chunked: bool) -> Iterator[bytes]:
    """The same for a body that is too large for memory, in pieces and without a limit; it ends where it is broken.

    Flawed where it costs work and yields nothing.
    """
    decoders, _ = _plan(headers)
    layers = _Layers(pieces, chunked, decoders, _EFFORT)
    try:
        for piece in layers.pieces:
            layers.passed_bytes[-1] += len(piece)
            yield piece
    except Flawed as flawed:
        if flawed.flaw is Flaw.COSTLY:
            raise


def _plan(headers: Headers) -> tuple[list[Decoder], Flaw | None]:
    """The decoders in the order of their use, up to a coding that nobody knows."""
    if _CODING_HEADERS.isdisjoint(dict(headers)):
        return [], None
    content = []
    transfer = []
    for name, value in headers:
        if name == b"content-encoding":
            content += value.split(b",")
        elif name == b"transfer-encoding":
            transfer += value.split(b",")
    labels = [coding.partition(b";")[0].strip().lower() for coding in reversed(content + transfer)]
    codings = [label for label in labels if label not in _NO_CODINGS]
    decoders: list[Decoder] = []
    for coding in codings:
        decoder = DECODERS.get(coding)
        if decoder is None or len(decoders) == _MAX_CODINGS:
            return decoders, Flaw.UNKNOWN_CODING
        decoders.append(decoder)
    return decoders, None


def _at_once(raw: bytes, chunked: bool, decoders: list[Decoder], limit_bytes: int) -> bytes | None:
    """The ordinary case, a short body in one layer of gzip, without generators; None for all else."""
    if decoders != _GZIP_ALONE:
        return None
    if chunked:
        data: list[bytes] = []
        scanner = ChunkScanner()
        scanner.scan(raw, data)
        if scanner.fault or not scanner.last_chunk_seen:
            return None
        raw = data[0] if len(data) == 1 else b"".join(data)
    return gunzip(raw, min(limit_bytes, _AT_ONCE_BYTES))


def _decode(
    source: Source, chunked: bool, decoders: list[Decoder], limit_bytes: int, flaw: Flaw | None, effort: Effort
) -> Decoded:
    layers = _Layers(source(), chunked, decoders, effort)
    decoded = _run(layers, limit_bytes)
    if decoded.flaw is Flaw.BROKEN and decoders:
        careful_from = [feed.last_slice_at for feed in layers.feeds]
        decoded = _run(_Layers(source(), chunked, decoders, effort, careful_from), limit_bytes)
    return Decoded(decoded.data, decoded.flaw or flaw)


def _run(layers: _Layers, limit_bytes: int) -> Decoded:
    parts: list[bytes] = []
    passed_bytes = layers.passed_bytes
    flaw = None
    try:
        for piece in layers.pieces:
            room_bytes = limit_bytes - passed_bytes[-1]
            if len(piece) > room_bytes:
                parts.append(piece[:room_bytes])
                flaw = Flaw.OVER_LIMIT
                break
            parts.append(piece)
            passed_bytes[-1] += len(piece)
    except Flawed as flawed:
        flaw = flawed.flaw
    return Decoded(b"".join(parts), flaw)


class _Layers:
    """The stages of one decode, each with its feed."""

    def __init__(
        self,
        pieces: Iterator[bytes],
        chunked: bool,
        decoders: list[Decoder],
        effort: Effort,
        careful_from: list[int] | None = None,
    ) -> None:
        # What each layer has read, and at last what has come out. Filled by the feeds and by who reads `pieces`.
        self.passed_bytes = [0] * (len(decoders) + 1)
        self.feeds: list[_Feed] = []
        if chunked:
            pieces = _dechunk_or_flawed(sliced(pieces, _SLICE_BYTES))
        for number, decoder in enumerate(decoders):
            careful_at = careful_from[number] if careful_from is not None else None
            feed = _Feed(pieces, number, self.passed_bytes, effort, careful_at)
            self.feeds.append(feed)
            pieces = decoder(feed)
        self.pieces = pieces


class _Feed:
    """What a layer reads, in slices: counted, and ended when it costs more than it can be worth."""

    def __init__(
        self, pieces: Iterable[bytes], number: int, passed_bytes: list[int], effort: Effort, careful_from: int | None
    ) -> None:
        self.step_bytes = _STEP_BYTES
        self.last_slice_at = 0
        self._pieces = pieces
        self._number = number
        self._passed_bytes = passed_bytes
        self._effort = effort
        self._careful_from = careful_from

    def __iter__(self) -> Iterator[bytes]:
        passed_bytes, number = self._passed_bytes, self._number
        for piece in self._pieces:
            offset = 0
            while offset < len(piece):
                self.last_slice_at = at = passed_bytes[number]
                if at > self._effort.free_bytes:
                    self._assert_worth(at)
                end = offset + self._slice_bytes(at)
                cut = piece if not offset and end >= len(piece) else piece[offset:end]
                offset += len(cut)
                passed_bytes[number] = at + len(cut)
                yield cut

    def _slice_bytes(self, at: int) -> int:
        careful_from = self._careful_from
        if careful_from is None:
            return self._effort.slice_bytes
        if at < careful_from:
            return min(self._effort.slice_bytes, careful_from - at)
        self.step_bytes = _CAREFUL_STEP_BYTES
        return _CAREFUL_STEP_BYTES

    def _assert_worth(self, read_bytes: int) -> None:
        """Flawed if what was read so far was not worth it."""
        passed_bytes, number, effort = self._passed_bytes, self._number, self._effort
        beyond_bytes = read_bytes - effort.free_bytes
        if (
            beyond_bytes > _MOST_INPUT_PER_OUTPUT * passed_bytes[number + 1]
            or (number and beyond_bytes > _MOST_INPUT_PER_WIRE_BYTE * passed_bytes[0])
            or (effort.most_bytes is not None and read_bytes >= effort.most_bytes)
        ):
            raise Flawed(Flaw.COSTLY)


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
        while piece := file.read(_SLICE_BYTES):
            yield piece
