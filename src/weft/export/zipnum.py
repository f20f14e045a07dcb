"""A sorted index in compressed blocks, and the index of the blocks: how WACZ files carry their CDXJ.

    index.cdx.gz   gzip members of 1,024 lines each
    index.idx      for each member its first key, offset, length and digest

A reader searches the small file by bisection, and unpacks the one member that can hold its key.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

BLOCK_LINES = 1024
FORMAT = "cdxj-gzip-1.0"

_encode = msgspec.json.Encoder().encode


class IndexBlock(msgspec.Struct, frozen=True):
    """A member of the compressed file, and the line that leads to it."""

    data: bytes
    index_line: bytes


def blocks_of(lines: Iterable[bytes], block_lines: int = BLOCK_LINES) -> Iterator[IndexBlock]:
    """Pack sorted CDXJ lines, each with its line end."""
    offset = 0
    remaining = iter(lines)
    while block := list(islice(remaining, block_lines)):
        data = gzip.compress(b"".join(block), mtime=0)
        place = {"offset": offset, "length": len(data), "digest": f"sha256:{hashlib.sha256(data).hexdigest()}"}
        first_key = block[0].partition(b" {")[0]
        yield IndexBlock(data, first_key + b" " + _encode(place) + b"\n")
        offset += len(data)


def index_head(data_name: str) -> bytes:
    """The first line of the index of blocks."""
    return b"!meta 0 " + _encode({"format": FORMAT, "filename": data_name}) + b"\n"
