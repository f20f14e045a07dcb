"""Reading a response back from the archive."""

from __future__ import annotations

import os

import msgspec
from isal import isal_zlib

from weft.store.open_file import OPEN_SUFFIX

GZIP_WBITS = 31
# More than any page or sitemap that is read; of a longer body the first part comes, which says that it is too long.
MAX_RECORD_BYTES = 66 * 1024 * 1024


class RecordPlace(msgspec.Struct, frozen=True, array_like=True):
    """Where a record lies."""

    path: str
    offset: int
    length: int  # compressed


def read_response(place: RecordPlace) -> bytes:
    """The block of a page's record: the response as it came over the wire; of a revisit, its head."""
    try:
        fd = os.open(place.path, os.O_RDONLY)
    except FileNotFoundError:  # the file got its final name since the path was told
        fd = os.open(place.path.removesuffix(OPEN_SUFFIX), os.O_RDONLY)
    try:
        packed = os.pread(fd, min(place.length, MAX_RECORD_BYTES), place.offset)
    finally:
        os.close(fd)
    unpacker = isal_zlib.decompressobj(GZIP_WBITS)
    record = unpacker.decompress(packed, MAX_RECORD_BYTES)
    _, _, block = record.partition(b"\r\n\r\n")
    return block[:-4] if unpacker.eof else block
