"""The body of an archived response in pieces, for what does not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator

from weft.config import CrawlConfig
from weft.errors import WeftError
from weft.fetch.codings import Flawed
from weft.fetch.decode import decoded_pieces
from weft.fetch.http1 import ResponseReader
from weft.folder.archived import place_of
from weft.store import Archive, RecordPlace, unpacked_record
from weft.types import PageRow
from weft.url import scheme_of

MIB = 1024 * 1024
# What a body may unpack to. Deflate packs at most 1032 bytes into one, so files in one layer of gzip always pass,
# however much of the same is in them; a second layer, or brotli, has no such bound: 15 KB became 600 MB.
MOST_UNPACKED_PER_BYTE = 1_100
ALWAYS_UNPACKED_BYTES = 8 * MIB
_HEAD_END = b"\r\n\r\n"
_LENGTH = b"\r\ncontent-length:"


class UnpacksTooFar(WeftError):
    """A body that becomes larger than it may, or costs more work than it can be worth."""


def unpacked_limit(body_bytes: int, config: CrawlConfig) -> int:
    """How large a body of this length may become; what is not packed always fits."""
    most_bytes = max(ALWAYS_UNPACKED_BYTES, MOST_UNPACKED_PER_BYTE * body_bytes)
    return max(body_bytes, min(most_bytes, config.max_body_bytes, config.max_bytes or most_bytes))


def body_pieces(archive: Archive, page: PageRow, limit_bytes: int) -> Iterator[bytes]:
    """The body without its codings. UnpacksTooFar, perhaps after the first pieces, if it is longer than the limit."""
    left_bytes = limit_bytes
    try:
        for piece in _decoded(archive, page, keeps_codings=False):
            left_bytes -= len(piece)
            if left_bytes < 0:
                raise UnpacksTooFar(page.url)
            yield piece
    except Flawed as flawed:
        raise UnpacksTooFar(page.url) from flawed


def packed_pieces(archive: Archive, page: PageRow) -> Iterator[bytes]:
    """The body as it came, but for its chunks."""
    return _decoded(archive, page, keeps_codings=True)


def _decoded(archive: Archive, page: PageRow, *, keeps_codings: bool) -> Iterator[bytes]:
    if not scheme_of(page.url).has_head:  # the file itself
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
    yield from decoded_pieces(_chain(first, raw), () if keeps_codings else reader.headers, reader.chunked)


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
