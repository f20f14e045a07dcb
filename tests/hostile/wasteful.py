"""Bodies that cost work and yield no bytes, by name: how they are labelled, and what they are."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property

import brotli  # type: ignore[import-untyped]
import zstandard

KIB = 1024
MIB = 1024 * KIB
_EMPTY_STORED_BLOCK = b"\0\0\0\xff\xff"
_GZIP_HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\x03"
_FEXTRA, _FNAME = b"\x04", b"\x08"
_ZSTD_FRAME_HEAD = b"\x28\xb5\x2f\xfd\x00\x58"
_BROTLI_EMPTY_METADATA = b"\x06"  # a meta-block of metadata, of length 0, up to the end of its byte


class Wasteful:
    """A body as it comes over the wire, made when it is needed: that takes a moment."""

    def __init__(self, coding: bytes, make: Callable[[], bytes]) -> None:
        self.coding = coding
        self._make = make

    @cached_property
    def raw(self) -> bytes:
        """The bytes."""
        return self._make()

    def __iter__(self) -> Iterator[bytes]:
        return iter((self.coding, self.raw))


def endless_gzip(size_bytes: int) -> bytes:
    """A gzip stream that never ends and never says anything."""
    return _GZIP_HEAD + _EMPTY_STORED_BLOCK * (size_bytes // len(_EMPTY_STORED_BLOCK))


def packed_again(size_bytes: int) -> bytes:
    """The same, packed once more: a thousandth of its size."""
    packer = zlib.compressobj(9, wbits=31)
    part = _EMPTY_STORED_BLOCK * (MIB // 5)
    pieces = [packer.compress(_GZIP_HEAD)]
    pieces += [packer.compress(part) for _ in range(max(1, size_bytes // len(part)))]
    return b"".join(pieces) + packer.flush()


def freezing() -> bytes:
    """Three layers, a few KB on the wire, gigabytes of nothing within; the middle one is a run of the same members."""
    member = packed_again(8 * MIB)
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(member) for _ in range(5000)) + packer.flush()


def _empty_fixed_blocks(size_bytes: int) -> bytes:
    """Deflate blocks with fixed codes and nothing but their end: 10 bits each, so 5 bytes are four of them."""
    bits = "".join(("0", "01"[::-1], "0000000")) * 4
    five = int(bits[::-1], 2).to_bytes(5, "little")
    return five * (size_bytes // 5)


def _brotli_metadata(blocks: int) -> bytes:
    # The first byte also has the window's size, one bit.
    return bytes((_BROTLI_EMPTY_METADATA[0] << 1,)) + _BROTLI_EMPTY_METADATA * blocks


def _zstd_skippable(frames: int) -> bytes:
    first = bytes(zstandard.ZstdCompressor().compress(b""))
    return first + (b"\x50\x2a\x4d\x18" + (4).to_bytes(4, "little") + b"skip") * frames


WASTEFUL: dict[str, Wasteful] = {
    "stored blocks of length 0": Wasteful(b"gzip", lambda: endless_gzip(MIB)),
    "raw stored blocks of length 0": Wasteful(b"deflate", lambda: _EMPTY_STORED_BLOCK * 200_000),
    "fixed blocks without output": Wasteful(b"deflate", lambda: _empty_fixed_blocks(MIB)),
    "empty members": Wasteful(b"gzip", lambda: gzip.compress(b"") * 50_000),
    "a long extra field": Wasteful(
        b"gzip", lambda: _GZIP_HEAD[:3] + _FEXTRA + _GZIP_HEAD[4:] + (b"\xff\xff" + bytes(0xFFFF))
    ),
    "a name without end": Wasteful(b"gzip", lambda: _GZIP_HEAD[:3] + _FNAME + _GZIP_HEAD[4:] + b"n" * MIB),
    "brotli metadata": Wasteful(b"br", lambda: _brotli_metadata(MIB)),
    "zstd frames without content": Wasteful(b"zstd", lambda: zstandard.ZstdCompressor().compress(b"") * 100_000),
    "zstd blocks without content": Wasteful(b"zstd", lambda: _ZSTD_FRAME_HEAD + b"\0\0\0" * 300_000),
    "zstd frames to skip": Wasteful(b"zstd", lambda: _zstd_skippable(100_000)),
    "two layers of gzip": Wasteful(b"gzip, gzip", lambda: packed_again(64 * MIB)),
    "brotli around gzip": Wasteful(b"gzip, br", lambda: bytes(brotli.compress(endless_gzip(64 * MIB), quality=1))),
    "three layers of gzip": Wasteful(b"gzip, gzip, gzip", lambda: freezing()),
}


def in_chunks_of_one_byte(raw: bytes) -> bytes:
    """The longest way to send it."""
    return b"".join(b"1\r\n%c\r\n" % byte for byte in raw) + b"0\r\n\r\n"
