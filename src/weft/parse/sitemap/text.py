"""From the bytes of a sitemap to its text, in pieces: unpacked and decoded as far as it is read.

    gzip        by its first two bytes: a .xml.gz comes without Content-Encoding, or still packed after it
    charset     byte order mark, or UTF-16 by its zero bytes; charset= of the Content-Type; the XML declaration;
                UTF-8, as the protocol wants it

A page's charset is guessed where nobody names it (parse.charset); here it is not, because one & is as good as
another in any charset, and URLs are nearly always ASCII.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from itertools import chain
from typing import Final, cast

from isal import isal_zlib

from weft.parse.charset.labels import label_of_header, whatwg_name
from weft.regex import regex
from weft.url.query import encoder_for

GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP_WRAPPER: Final = 31
_PIECE_BYTES: Final = 256 * 1024
_PACKED_BYTES: Final = 4 * 1024  # at once: the end of a gzip member copies what was given beyond it
# As for content codings (fetch.decode): packed data that is twice as long as what it becomes is there to cost work.
_FREE_BYTES: Final = 256 * 1024
_MOST_INPUT_PER_OUTPUT: Final = 2

_IsalError: Final = cast("type[Exception]", isal_zlib.error)  # its stub calls the class an instance

_SIGNS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),  # this codec reads the mark and drops it
    (b"\xfe\xff", "utf-16"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
    (b"h\0t\0", "utf-16-le"),
    (b"\0h\0t", "utf-16-be"),
)
_XML_CHARSET = regex(rb"""\s*<\?xml[^>]{1,100}?\sencoding\s*=\s*["']([\w.:\-]+)["']""", re.IGNORECASE)


class SitemapText:
    """The text of a sitemap, piece by piece; of its first `max_bytes`, counted when unpacked.

    Bytes that do not fit the charset become U+FFFD.
    """

    def __init__(self, body: bytes, content_type: str | None, max_bytes: int) -> None:
        self.is_cut = False  # known after the last piece: there should have been more
        self.is_over = False  # likewise: it is larger than what is read of it
        self._body = body
        self._content_type = content_type
        self._max_bytes = max_bytes

    def __iter__(self) -> Iterator[str]:
        pieces = self._limited(self._unpacked())
        start = next(pieces, b"")
        decoder = codecs.getincrementaldecoder(_codec(start, self._content_type))("replace")
        for piece in chain((start,), pieces):
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)

    def _limited(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        room_bytes = self._max_bytes
        for piece in pieces:
            if len(piece) > room_bytes:
                self.is_cut = self.is_over = True
                yield piece[:room_bytes]
                return
            yield piece
            room_bytes -= len(piece)

    def _unpacked(self) -> Iterator[bytes]:
        return self._inflated() if self._body.startswith(GZIP_MAGIC) else _slices(self._body, _PIECE_BYTES)

    def _inflated(self) -> Iterator[bytes]:
        """What can be unpacked; the rest of a broken file is lost, and of one that yields nothing."""
        decoder = isal_zlib.decompressobj(_GZIP_WRAPPER)
        read_bytes = yielded_bytes = 0
        for piece in _slices(self._body, _PACKED_BYTES):
            if read_bytes > _FREE_BYTES + _MOST_INPUT_PER_OUTPUT * yielded_bytes:
                self.is_cut = True
                return
            read_bytes += len(piece)
            packed = piece
            is_pending = True
            while packed or is_pending:
                if decoder.eof:
                    if not GZIP_MAGIC.startswith(packed[:2]):
                        return  # padding after the last member
                    decoder = isal_zlib.decompressobj(_GZIP_WRAPPER)
                try:
                    data = decoder.decompress(packed, _PIECE_BYTES)
                except _IsalError:
                    self.is_cut = True
                    return
                if data:
                    yield data
                    yielded_bytes += len(data)
                packed = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
                is_pending = len(data) == _PIECE_BYTES and not decoder.eof
        self.is_cut = not decoder.eof


def _slices(body: bytes, slice_bytes: int) -> Iterator[bytes]:
    return (body[offset : offset + slice_bytes] for offset in range(0, len(body), slice_bytes))


def _codec(start: bytes, content_type: str | None) -> str:
    for sign, codec in _SIGNS:
        if start.startswith(sign):
            return codec
    declared = _XML_CHARSET.match(start)
    for label in (label_of_header(content_type), declared and declared[1].decode("ascii")):
        if label and (charset := whatwg_name(label)):
            # None for UTF-8; and for UTF-16, which it is not: that would have shown in the first bytes.
            return encoder_for(charset) or "utf-8"
    return "utf-8"
