"""The body of an archived response in pieces, for what does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

from weft.archived import place_of
from weft.fetch.decode import decoded_pieces
from weft.fetch.http1 import ResponseReader
from weft.store import Archive, RecordPlace, unpacked_record
from weft.types import PageRow

_HEAD_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"


def body_pieces(archive: Archive, page: PageRow, limit_bytes: int) -> Iterator[bytes]:
    """The body without its codings, at most so many bytes of it."""
    if page.url.startswith("ftp:"):  # the file itself, without a head
        yield from _block_pieces(place_of(archive, page))
        return
    reader = ResponseReader()
    if page.original is None:
        raw = _bodies(reader, _block_pieces(place_of(archive, page)))
        first = next(raw, b"")
    else:  # the record has the head alone
        for piece in _block_pieces(place_of(archive, page)):
            reader.feed(piece)
        first = b""
        raw = _bodies(ResponseReader(), _block_pieces(place_of(archive, page.original)))
    left_bytes = limit_bytes
    for piece in decoded_pieces(_chain(first, raw), reader.headers, reader.chunked):
        yield piece[:left_bytes]
        left_bytes -= len(piece)
        if left_bytes <= 0:
            return


def _chain(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _bodies(reader: ResponseReader, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Of a response in pieces what is body. The head is read when the first piece comes out."""
    for piece in pieces:
        body = reader.feed(piece)
        if reader.head_done:
            yield body


def _block_pieces(place: RecordPlace) -> Iterator[bytes]:
    """The block of a record, without the record's own head."""
    record = unpacked_record(place)
    start = b""
    for piece in record:
        start += piece
        if _HEAD_END in start:
            break
    head, _, block = start.partition(_HEAD_END)
    at = head.lower().rindex(_LENGTH) + len(_LENGTH)
    left_bytes = int(head[at:].split(b"\r\n", 1)[0])
    for piece in _chain(block, record):
        yield piece[:left_bytes]
        left_bytes -= len(piece)
        if left_bytes <= 0:
            return
