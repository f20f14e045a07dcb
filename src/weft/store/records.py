"""Reading the archive: the one place where WARC records are unpacked.

    read_record    a record by its place: its fields, and its block or the first bytes of it
    block_pieces   its block in pieces, for what does not fit into memory
    records_from   one record after the other, from some place in a file on
    scan_records   all records of a file, up to the first one that is cut off or damaged
    whole_until    how far a file is whole

A record is a gzip member, whose checksum is looked at whenever it is read to its end. Memory is bounded by what was
asked for. No row is needed: the parse workers read the archive, and have no database.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, pairwise
from pathlib import Path
from typing import cast

import msgspec
from isal import isal_zlib

from weft.errors import DamagedRecord
from weft.store.open_file import open_archived
from weft.store.warc import GZIP_WBITS, RECORD_END
from weft.types import RecordPlace

KIB = 1024
READ_BYTES = 32 * KIB  # packed, at once: what is read beyond a record is copied once for it
PIECE_BYTES = 256 * KIB  # unpacked, at once
USUAL_HEAD_BYTES = KIB  # of a record's own header
MOST_HEAD_BYTES = 256 * KIB  # of a record's own header
# More than any sitemap that is read, and what is shown of a body. Of a longer block this much comes at once.
MAX_RECORD_BYTES = 66 * KIB * KIB
# What a scan keeps of a block: enough for the HTTP header, or for metadata.
KEPT_BYTES = 256 * KIB

_IsalError = cast("type[Exception]", isal_zlib.error)  # typed as an instance there


class Record(msgspec.Struct, frozen=True):
    """A record, with all of its block or the first bytes of it."""

    offset: int
    length: int  # compressed
    fields: dict[str, str]  # of its header, names in lower case
    block: bytes
    block_bytes: int  # all of it


def read_record(place: RecordPlace, most_bytes: int = MAX_RECORD_BYTES) -> Record:
    """The record at a place, with at most this much of its block: a response as it came; of a revisit, its head."""
    with open_archived(place.path) as file:
        members = _Members(file.fileno(), place.offset, place.offset + place.length, place.path)
        members.piece_bytes = min(PIECE_BYTES, most_bytes + USUAL_HEAD_BYTES)
        return _next_record(members, most_bytes, place.length)


def block_pieces(place: RecordPlace, skip_bytes: int = 0) -> Iterator[bytes]:
    """The block of a record in pieces, from `skip_bytes` on."""
    with open_archived(place.path) as file:
        pieces = _Members(file.fileno(), place.offset, place.offset + place.length, place.path).unpacked()
        _, left_bytes, first = _begun(pieces)
        for piece in chain((first,), pieces):
            part = piece[skip_bytes:left_bytes]
            skip_bytes = max(0, skip_bytes - len(piece))
            left_bytes = max(0, left_bytes - len(piece))
            if part:
                yield part


def records_from(path: str, offset: int = 0, most_bytes: int = MAX_RECORD_BYTES) -> Iterator[Record]:
    """The records of a file from `offset` on. DamagedRecord where one is not whole."""
    with open_archived(path) as file:
        end = os.fstat(file.fileno()).st_size
        members = _Members(file.fileno(), offset, end, path)
        while members.offset < end:
            yield _next_record(members, most_bytes)


def scan_records(path: Path) -> Iterator[Record]:
    """The records of a file of which no row says what is in it, up to the first one that is cut off or damaged."""
    with suppress(DamagedRecord):
        yield from records_from(str(path), most_bytes=KEPT_BYTES)


def whole_until(fd: int, boundaries: list[int]) -> int:
    """The last boundary up to which every gzip member is whole; the first boundary is taken as good.

    Between two boundaries lie the records of one page.
    """
    good = boundaries[0]
    for start, end in pairwise(boundaries):
        members = _Members(fd, start, end)
        try:
            while members.offset < end:
                for _ in members.unpacked():
                    pass
        except DamagedRecord:
            break
        good = end
    return good


class _Members:
    """A stretch of a file: gzip members, one behind the other. `offset` is where the next one begins."""

    def __init__(self, fd: int, start: int, end: int, path: str = "") -> None:
        self._fd = fd
        self._path = path
        self._read_to = start
        self._end = end
        self._ahead = b""  # read, and not unpacked
        self.piece_bytes = PIECE_BYTES

    @property
    def offset(self) -> int:
        return self._read_to - len(self._ahead)

    def unpacked(self) -> Iterator[bytes]:
        """The next member in pieces. DamagedRecord where it cannot be unpacked, ends too soon or fails its checksum."""
        unpacker = isal_zlib.decompressobj(GZIP_WBITS)
        begins_at, packed = self.offset, self._ahead
        try:
            while not unpacker.eof:
                packed = packed or self._read()
                piece = unpacker.decompress(packed, self.piece_bytes)
                packed = unpacker.unconsumed_tail
                yield piece
        except (_IsalError, EOFError) as error:
            raise DamagedRecord(f"the record at byte {begins_at:,} of {self._path} is damaged: {error}") from error
        self._ahead = unpacker.unused_data

    def _read(self) -> bytes:
        packed = os.pread(self._fd, min(READ_BYTES, self._end - self._read_to), self._read_to)
        if not packed:
            raise EOFError("it is cut off")
        self._read_to += len(packed)
        return packed


def _next_record(members: _Members, most_bytes: int, length: int | None = None) -> Record:
    """The next record. If its length is known, the rest of a longer block need not be read."""
    offset = members.offset
    pieces = members.unpacked()
    fields, block_bytes, first = _begun(pieces)
    kept, kept_bytes = [first], len(first)
    while (kept_bytes < most_bytes or length is None) and (piece := next(pieces, None)) is not None:
        if kept_bytes < most_bytes:
            kept.append(piece)
            kept_bytes += len(piece)
    block = b"".join(kept)[: min(most_bytes, block_bytes)]
    return Record(offset, length or members.offset - offset, fields, block, block_bytes)


def _begun(pieces: Iterator[bytes]) -> tuple[dict[str, str], int, bytes]:
    """A record's fields, the length of its block, and what of the block came with them."""
    start = b""
    for piece in pieces:
        start += piece
        if RECORD_END in start or len(start) > MOST_HEAD_BYTES:
            break
    head, blank_line, block = start.partition(RECORD_END)
    lines = head.decode("utf-8", "replace").split("\r\n")
    pairs = (line.partition(":") for line in lines[1:])
    fields = {name.lower(): value.strip() for name, _, value in pairs}
    length = fields.get("content-length", "")
    if not blank_line or not lines[0].startswith("WARC/") or not length.isdecimal():
        raise DamagedRecord("what should be a record is none")
    return fields, int(length), block
