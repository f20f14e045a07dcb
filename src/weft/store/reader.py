"""Reading a response, or a file that came by FTP, back from the archive."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

import msgspec
from isal import isal_zlib

from weft.store.open_file import OPEN_SUFFIX

GZIP_WBITS = 31
_HEAD_END = b"\r\n\r\n"
# More than any sitemap that is read, and what is shown of a body. Of a longer record this much comes at once.
MAX_RECORD_BYTES = 66 * 1024 * 1024
PIECE_BYTES = 256 * 1024


class RecordPlace(msgspec.Struct, frozen=True, array_like=True):
    """Where a record lies."""

    path: str
    offset: int
    length: int  # compressed


class Block(NamedTuple):
    """What a record holds, or the first bytes of it."""

    data: bytes
    size_bytes: int  # all of it
    skip_bytes: int  # what comes before it when the record is unpacked: the record's own header


class FtpRecord(msgspec.Struct, frozen=True):
    """What the archive holds of an answer by FTP."""

    status: int  # made up
    media_type: str
    block: Block  # the file


def read_block(place: RecordPlace, most_bytes: int = MAX_RECORD_BYTES) -> Block:
    """The block of a page's record: the response as it came over the wire; of a revisit, its head."""
    return _block(*_read(place, most_bytes))


def read_response(place: RecordPlace) -> bytes:
    """The same, without its size."""
    return _read(place)[1]


def unpacked_record(place: RecordPlace) -> Iterator[bytes]:
    """A record in pieces, for what does not fit into memory."""
    unpacker = isal_zlib.decompressobj(GZIP_WBITS)
    with _open(place) as file:
        file.seek(place.offset)
        left_bytes = place.length
        while left_bytes > 0 and (packed := file.read(min(PIECE_BYTES, left_bytes))):
            left_bytes -= len(packed)
            while packed:
                yield unpacker.decompress(packed, PIECE_BYTES)
                packed = unpacker.unconsumed_tail


def read_ftp_record(place: RecordPlace, most_bytes: int = MAX_RECORD_BYTES) -> FtpRecord:
    """The record of a page that came by FTP: a resource; or only notes, where nothing came."""
    head, block = _read(place, most_bytes)
    if b"\r\nWARC-Type: resource\r\n" in head:
        return FtpRecord(200, _field(head, b"Content-Type").decode("latin-1"), _block(head, block))
    return FtpRecord(int(_field(block, b"ftpStatus") or 0), "", Block(b"", 0, 0))


def _block(head: bytes, data: bytes) -> Block:
    return Block(data, int(_field(head, b"Content-Length")), len(head) + len(_HEAD_END))


def _field(lines: bytes, name: bytes) -> bytes:
    pairs = (line.partition(b": ") for line in lines.split(b"\r\n"))
    return next((value for given, _, value in pairs if given == name), b"")


def _read(place: RecordPlace, most_bytes: int = MAX_RECORD_BYTES) -> tuple[bytes, bytes]:
    """The header and the block of a record."""
    with _open(place) as file:
        packed = os.pread(file.fileno(), min(place.length, most_bytes), place.offset)
    unpacker = isal_zlib.decompressobj(GZIP_WBITS)
    record = unpacker.decompress(packed, most_bytes)
    head, _, block = record.partition(_HEAD_END)
    return head, block[:-4] if unpacker.eof else block


def _open(place: RecordPlace) -> BinaryIO:
    try:
        return open(place.path, "rb", buffering=0)
    except FileNotFoundError:  # the file got its final name since the path was told
        return open(place.path.removesuffix(OPEN_SUFFIX), "rb", buffering=0)
