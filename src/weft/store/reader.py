"""Reading a response, or a file that came by FTP, back from the archive."""

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


class FtpRecord(msgspec.Struct, frozen=True):
    """What the archive holds of an answer by FTP."""

    status: int  # made up
    media_type: str
    body: bytes


def read_response(place: RecordPlace) -> bytes:
    """The block of a page's record: the response as it came over the wire; of a revisit, its head."""
    return _read(place)[1]


def read_ftp_record(place: RecordPlace) -> FtpRecord:
    """The record of a page that came by FTP: a resource; or only notes, where nothing came."""
    head, block = _read(place)
    if b"\r\nWARC-Type: resource\r\n" in head:
        return FtpRecord(200, _field(head, b"Content-Type").decode("latin-1"), block)
    return FtpRecord(int(_field(block, b"ftpStatus") or 0), "", b"")


def _field(lines: bytes, name: bytes) -> bytes:
    pairs = (line.partition(b": ") for line in lines.split(b"\r\n"))
    return next((value for given, _, value in pairs if given == name), b"")


def _read(place: RecordPlace) -> tuple[bytes, bytes]:
    """The header and the block of a record."""
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
    head, _, block = record.partition(b"\r\n\r\n")
    return head, block[:-4] if unpacker.eof else block
