"""The charset and the text of a body that is too large for memory, in pieces.

The policy is that of `policy`, as far as it goes without the whole body: that all of it is UTF-8 is looked at to the
last byte; where it is not, its first bytes and those around the first error decide.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Final

from weft.parse.charset.policy import decode

_HEAD_BYTES: Final = 64 * 1024
_MAX_HELD_BYTES: Final = 1024 * 1024
# Python's decoders of these know where a character ends. No other charset has these bytes inside a character.
_INCREMENTAL: Final = {
    "utf-8": "utf-8-sig",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "iso-2022-jp": "iso2022_jp",
}
_NEVER_INSIDE: Final = (b"<", b" ", b"\n", b'"', b"/")
_SURE_BY_FIRST_BYTES: Final = frozenset(("utf-16le", "utf-16be", "iso-2022-jp"))


def charset_in_pieces(pieces: Iterable[bytes], content_type: str | None) -> str:
    """The charset of a body."""
    head = b""
    by_head = ""
    is_ascii = True
    utf8 = codecs.getincrementaldecoder("utf-8")()
    for piece in pieces:
        if len(head) < _HEAD_BYTES:
            head += piece[: _HEAD_BYTES - len(head)]
            by_head = decode(head, content_type)[1]
            if by_head in _SURE_BY_FIRST_BYTES:
                return by_head
        try:
            utf8.decode(piece)
        except UnicodeDecodeError:
            return decode(head + b" " + piece, content_type)[1]
        is_ascii = is_ascii and piece.isascii()
    return by_head if is_ascii else "utf-8"


def utf8_pieces(pieces: Iterable[bytes], charset: str) -> Iterator[bytes]:
    """The text of a body, as UTF-8; bytes that do not fit the charset become U+FFFD. The last piece may be empty."""
    codec = _INCREMENTAL.get(charset)
    return _by_decoder(pieces, codec) if codec else _by_cuts(pieces, "whatwg-" + charset)


def _by_decoder(pieces: Iterable[bytes], codec: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(codec)("replace")
    is_first = True
    for piece in pieces:
        text = decoder.decode(piece)
        yield (text.removeprefix("\ufeff") if is_first else text).encode()
        is_first = is_first and not text
    yield decoder.decode(b"", final=True).encode()


def _by_cuts(pieces: Iterable[bytes], codec: str) -> Iterator[bytes]:
    held = b""
    for piece in pieces:
        cut = max(piece.rfind(sign) for sign in _NEVER_INSIDE)
        if cut < 0 and len(held) < _MAX_HELD_BYTES:
            held += piece
            continue
        yield (held + piece[:cut]).decode(codec).encode()
        held = piece[cut:]
    yield held.decode(codec).encode()
