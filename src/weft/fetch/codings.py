"""Undoing one content coding, piece by piece: gzip, deflate, br, zstd.

Each decoder is a generator from a feed to pieces. It raises `Flawed` after it has yielded what it could decode.
No piece it yields is much larger than the feed's `step_bytes`, or for zstd than 16 MiB, so a bomb is noticed in time.
It asks for more input only when all that the input before became is out, so a feed can tell what its bytes bring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from itertools import chain
from typing import Final, Protocol, cast

import brotli  # type: ignore[import-untyped]
import zstandard
from isal import isal_zlib

_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_MAX_WINDOW_BYTES: Final = 8 * 1024 * 1024  # RFC 9659: more is not for content codings
# The zstd binding cannot bound its output, but four bytes give 128 KiB at most: so bound the input.
_ZSTD_MAX_INPUT_BYTES: Final = 512

# The end of a member copies what was given beyond it, and thousands of empty members fit into one slice.
_MEMBER_CUT_BYTES: Final = 1024

_GZIP_WRAPPER: Final = 31
_ZLIB_WRAPPER: Final = 15
_NO_WRAPPER: Final = -15


class Flaw(StrEnum):
    """Why decoded bytes are not all that they should be."""

    UNKNOWN_CODING = "unknown-coding"  # left as it is
    NOT_ENCODED = "not-encoded"  # labelled as compressed, but it is not: left as it is
    OVER_LIMIT = "over-limit"  # cut there
    TRUNCATED = "truncated"  # the input ends too early
    BROKEN = "broken"  # the input is faulty; what comes before is given
    COSTLY = "costly"  # it takes work and yields next to nothing; what comes before is given


OVER_LIMIT: Final = Flaw.OVER_LIMIT  # asked for each page: see `weft.members`
COSTLY: Final = Flaw.COSTLY


class Flawed(Exception):
    """Decoding ends here."""

    def __init__(self, flaw: Flaw) -> None:
        super().__init__(flaw)
        self.flaw = flaw


class Feed(Protocol):
    """Input for a decoder."""

    step_bytes: int  # that one piece of output should not exceed; it may change on the way

    def __iter__(self) -> Iterator[bytes]:
        """Slices that are not empty, and short: what a library hands back of one is copied, each time it does."""


Decoder = Callable[[Feed], Iterator[bytes]]
# Its stub calls the class an instance.
_IsalError: Final = cast("type[Exception]", isal_zlib.error)


def _decode_gzip(feed: Feed) -> Iterator[bytes]:
    start, pieces = _peek(feed, len(_GZIP_MAGIC))
    if not _GZIP_MAGIC.startswith(start[:2]):
        yield from pieces
        raise Flawed(Flaw.NOT_ENCODED)
    decoder = isal_zlib.decompressobj(_GZIP_WRAPPER)
    for piece in pieces:
        rest = piece
        if not decoder.eof:
            yield from _inflate(decoder, piece, feed)
            if not decoder.eof:
                continue
            rest = decoder.unused_data
        offset = 0
        while offset < len(rest):
            if decoder.eof:
                if not _GZIP_MAGIC.startswith(rest[offset : offset + 2]):
                    return  # padding after the last member
                decoder = isal_zlib.decompressobj(_GZIP_WRAPPER)
            cut = rest[offset : offset + _MEMBER_CUT_BYTES]
            yield from _inflate(decoder, cut, feed)
            offset += len(cut) - len(decoder.unused_data)
    if start and not decoder.eof:
        raise Flawed(Flaw.TRUNCATED)


def _decode_deflate(feed: Feed) -> Iterator[bytes]:
    start, pieces = _peek(feed, 2)
    # The standard means zlib's wrapper; some servers leave it out. Its two bytes can be told by their check.
    wrapped = len(start) >= 2 and start[0] & 0x0F == 8 and int.from_bytes(start[:2], "big") % 31 == 0
    decoder = isal_zlib.decompressobj(_ZLIB_WRAPPER if wrapped else _NO_WRAPPER)
    for piece in pieces:
        yield from _inflate(decoder, piece, feed)
        if decoder.eof:
            return
    if start:
        raise Flawed(Flaw.TRUNCATED)


def _inflate(decoder: isal_zlib.Decompress, piece: bytes, feed: Feed) -> Iterator[bytes]:
    while True:
        step_bytes = feed.step_bytes
        try:
            data = decoder.decompress(piece, step_bytes)
        except _IsalError:
            raise Flawed(Flaw.BROKEN) from None
        if data:
            yield data
        piece = decoder.unconsumed_tail
        if decoder.eof or (not piece and len(data) < step_bytes):
            return


def _decode_brotli(feed: Feed) -> Iterator[bytes]:
    decoder = brotli.Decompressor()
    empty = True
    for piece in feed:
        empty = False
        more = piece
        while True:
            try:
                # The binding yields at least 32 KiB a call.
                data: bytes = decoder.process(more, output_buffer_limit=feed.step_bytes)
            except brotli.error:
                raise Flawed(Flaw.BROKEN) from None
            if data:
                yield data
            if decoder.is_finished():
                return
            if not data:
                break
            more = b""  # it keeps output back even where can_accept_more_data() says that it wants more input
    if not empty:
        raise Flawed(Flaw.TRUNCATED)


def _decode_zstd(feed: Feed) -> Iterator[bytes]:
    start, pieces = _peek(feed, len(_ZSTD_MAGIC))
    if not _ZSTD_MAGIC.startswith(start[:4]):
        yield from pieces
        raise Flawed(Flaw.NOT_ENCODED)
    context = zstandard.ZstdDecompressor(max_window_size=_ZSTD_MAX_WINDOW_BYTES)
    decoder = context.decompressobj()
    for piece in sliced(pieces, _ZSTD_MAX_INPUT_BYTES):
        rest = piece
        while rest:
            if decoder.eof:
                if not _ZSTD_MAGIC.startswith(rest[:4]):
                    return
                decoder = context.decompressobj()
            try:
                data = decoder.decompress(rest)
            except zstandard.ZstdError:
                raise Flawed(Flaw.BROKEN) from None
            if data:
                yield data
            rest = decoder.unused_data if decoder.eof else b""
    if start and not decoder.eof:
        raise Flawed(Flaw.TRUNCATED)


DECODERS: Final[dict[bytes, Decoder]] = {
    b"gzip": _decode_gzip,
    b"x-gzip": _decode_gzip,
    b"deflate": _decode_deflate,
    b"br": _decode_brotli,
    b"zstd": _decode_zstd,
}


def gunzip(packed: bytes, most_bytes: int) -> bytes | None:
    """What one whole gzip member unpacks to; None if it is anything else, or longer."""
    decoder = isal_zlib.decompressobj(_GZIP_WRAPPER)
    try:
        data: bytes = decoder.decompress(packed, most_bytes)
    except _IsalError:
        return None
    return data if decoder.eof and not decoder.unused_data else None


def _peek(feed: Feed, wanted_bytes: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, at least as many as wanted if there are that many, and all pieces from the beginning."""
    source = iter(feed)
    start = b""
    for piece in source:
        start += piece
        if len(start) >= wanted_bytes:
            break
    return start, chain((start,), source)


def sliced(pieces: Iterable[bytes], slice_bytes: int) -> Iterator[bytes]:
    """The same bytes, in pieces of at most this length."""
    for piece in pieces:
        if len(piece) <= slice_bytes:
            yield piece
        else:
            for offset in range(0, len(piece), slice_bytes):
                yield piece[offset : offset + slice_bytes]
