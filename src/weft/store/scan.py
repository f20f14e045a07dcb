"""Reading a WARC file from its beginning, record by record, when no row says what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

import msgspec
from isal import isal_zlib

KIB = 1024
READ_BYTES = 32 * KIB  # what is read beyond a record is copied once for it
CHUNK_BYTES = 256 * KIB  # unpacked at once
GZIP_WBITS = 31
# As much of a record as is kept: its own header, and the HTTP header or metadata behind it.
KEPT_BYTES = 256 * KIB

_IsalError = cast("type[Exception]", isal_zlib.error)  # typed as an instance there


class ScannedRecord(msgspec.Struct, frozen=True):
    """A record that is whole."""

    offset: int
    length: int  # compressed
    fields: dict[str, str]  # of its header, names in lower case
    block: bytes  # its beginning
    block_bytes: int  # all of it


def scan_records(path: Path) -> Iterator[ScannedRecord]:
    """The records of a file, up to the first one that is cut off or damaged."""
    with path.open("rb") as file:
        offset = 0
        ahead = b""  # read already, of the records that follow
        while (member := _read_member(file, ahead)) is not None:
            start, length, ahead = member
            record = _parse(start, offset, length)
            if record is None:
                return
            yield record
            offset += length


def _read_member(file: BinaryIO, ahead: bytes) -> tuple[bytes, int, bytes] | None:
    """The beginning of the next gzip member, unpacked; its length; what was read beyond. None if it is not whole."""
    unpacker = isal_zlib.decompressobj(GZIP_WBITS)
    start = bytearray()
    packed, length = ahead, len(ahead)
    while not unpacker.eof:
        if not packed:
            packed = file.read(READ_BYTES)
            length += len(packed)
        if not packed:
            return None
        try:
            unpacked = unpacker.decompress(packed, CHUNK_BYTES)
        except _IsalError:
            return None
        if len(start) < KEPT_BYTES:
            start += unpacked
        packed = unpacker.unconsumed_tail
    beyond = unpacker.unused_data
    return bytes(start), length - len(beyond), beyond


def _parse(start: bytes, offset: int, length: int) -> ScannedRecord | None:
    head, blank_line, block = start.partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "replace").split("\r\n")
    if not blank_line or not lines[0].startswith("WARC/"):
        return None
    pairs = (line.partition(":") for line in lines[1:])
    fields = {name.lower(): value.strip() for name, _, value in pairs}
    try:
        block_bytes = int(fields["content-length"])
    except (KeyError, ValueError):
        return None
    return ScannedRecord(offset, length, fields, block[:block_bytes], block_bytes)
