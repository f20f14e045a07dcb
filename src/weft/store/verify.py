"""How far a WARC file is whole, after a power cut may have taken its end."""

from __future__ import annotations

import os
from itertools import pairwise
from typing import cast

from isal import isal_zlib

# Small, because what is unpacked from it can be a thousand times as large.
CHUNK_BYTES = 16 * 1024
GZIP_WBITS = 31
_IsalError = cast("type[Exception]", isal_zlib.error)  # typed as an instance there


def whole_until(fd: int, boundaries: list[int]) -> int:
    """The last boundary up to which every gzip member is whole; the first boundary is taken as good.

    Between two boundaries lie the records of one page. The CRC and length at the end of each member tell.
    """
    good = boundaries[0]
    for start, end in pairwise(boundaries):
        if not _are_whole_members(fd, start, end):
            break
        good = end
    return good


def _are_whole_members(fd: int, start: int, end: int) -> bool:
    unpacker = None
    data = b""
    while data or start < end:
        if not data:
            data = os.pread(fd, min(CHUNK_BYTES, end - start), start)
            start += len(data)
            if not data:
                return False
        unpacker = unpacker or isal_zlib.decompressobj(GZIP_WBITS)
        try:
            unpacker.decompress(data)
        except _IsalError:
            return False
        data = unpacker.unused_data
        if unpacker.eof:
            unpacker = None
    return unpacker is None
