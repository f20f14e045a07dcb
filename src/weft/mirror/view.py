"""A file's bytes as text of the same length, so that a place in the text is a place in the bytes.

    charset                        the view                                    a unit
    UTF-8, windows-1252, EUC-JP    ASCII as it is, other bytes as U+DC80…      1 byte
    Shift_JIS, GBK, Big5 …         the same; the second byte of a character,   1 byte
                                   which may look like \\ or @, as U+DC40…
    ISO-2022-JP                    the same for all that is not in ASCII       1 byte
    UTF-16                         its code units                              2 bytes

Markup is ASCII, so whatever finds markup needs nothing else, and what it does not look at stays as it is to the byte.
Bytes beyond ASCII stand for themselves as lone surrogates and not as Latin-1, because beside them come characters from
`&eacute;`, which are meant as such. `characters` makes real text of a piece.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Iterable
from typing import Final

import turbohtml.detect  # noqa: F401 - registers the whatwg-* codecs

from weft.mirror.edits import Edit
from weft.regex import regex

_BYTE_AS_CHAR: Final = 0xDC00
_RUN_OF_BYTES = regex("[\udc00-\udcff]+")

_LEAD = "[\udc81-\udcfe]"
_TWO_BYTES = regex(f"{_LEAD}[@-~\udc80-\udcfe]")
_TWO_OR_FOUR_BYTES = regex(f"{_LEAD}(?:[0-9]{_LEAD}[0-9]|[@-~\udc80-\udcfe])")
_TWO_BYTES_OF_SHIFT_JIS = regex("[\udc81-\udc9f\udce0-\udcfc][@-~\udc80-\udcfc]")
# What another set of characters begins with, to where ASCII or its Japanese twin begins again.
_JAPANESE = regex(r"\x1b(?:\$[@B]|\(I).*?(?:\x1b\([BJ]|\Z)|\x1b\([BJ]", re.DOTALL)
_ASCII: Final = b"\x1b(B"
_LAST_ESCAPE = regex(rb"(?s).*(\x1b[$(].)")

_CHARACTER_OF: Final = {
    "shift_jis": _TWO_BYTES_OF_SHIFT_JIS,
    "gbk": _TWO_OR_FOUR_BYTES,
    "gb18030": _TWO_OR_FOUR_BYTES,
    "big5": _TWO_BYTES,
    "euc-kr": _TWO_BYTES,
    "iso-2022-jp": _JAPANESE,
}


class View:
    """The bytes of one file, to be looked at as `text` and changed by `splice`. `charset` is a WHATWG name."""

    __slots__ = ("_charset", "_text", "body")

    def __init__(self, body: bytes, charset: str) -> None:
        self.body = body
        self._charset = charset.lower()
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The view itself; made when it is first asked for, because most pages can do without."""
        if self._text is None:
            self._text = _units(self.body, self._charset) if self._is_wide else _bytes_as_text(self.body, self._charset)
        return self._text

    @property
    def is_bytewise(self) -> bool:
        """Whether markup may be looked for in the bytes themselves: no part of a character looks like it."""
        if self._is_wide or self._charset == "iso-2022-jp":
            return False
        return self._charset not in _CHARACTER_OF or self.body.isascii()

    @property
    def is_ascii(self) -> bool:
        """Whether there is no character beyond ASCII."""
        return self.body.isascii() if self.is_bytewise else self.text.isascii()

    @property
    def _is_wide(self) -> bool:
        return self._charset.startswith("utf-16")

    def characters(self, piece: str) -> str:
        """What a piece of the view means."""
        if piece.isascii():
            return piece
        if self._is_wide:
            return piece.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return _RUN_OF_BYTES.sub(self._decoded, piece)

    def splice(self, edits: Iterable[Edit]) -> bytes:
        """The bytes with each edit made. Edits are in order, and put in ASCII; one within another is left out."""
        if self._is_wide or self._charset == "iso-2022-jp":
            width = 2 if self._is_wide else 1
            pieces = ((start * width, end * width, self._encoded(text, start, end)) for start, end, text in edits)
        else:
            pieces = ((start, end, text.encode("ascii")) for start, end, text in edits)
        body, done = self.body, 0
        parts: list[bytes] = []
        for start, end, piece in pieces:
            if start < done:  # a tag within a script of a drawing: it is both
                continue
            parts.append(body[done:start])
            parts.append(piece)
            done = end
        parts.append(body[done:])
        return b"".join(parts)

    def _decoded(self, run: re.Match[str]) -> str:
        raw = bytes([ord(char) - _BYTE_AS_CHAR for char in run[0]])
        return raw.decode("utf-8", "replace") if self._charset == "utf-8" else raw.decode("whatwg-" + self._charset)

    def _encoded(self, text: str, start: int, end: int) -> bytes:
        if self._is_wide:
            return text.encode("utf-16-be" if self._charset == "utf-16be" else "utf-16-le")
        if escape := _LAST_ESCAPE.match(self.body[start:end]):
            before = self.body.rfind(b"\x1b(", 0, start)
            if escape[1] != (self.body[before : before + 3] if before >= 0 else _ASCII):
                return text.encode("ascii") + escape[1]  # what follows is still in the set that it was in
        return text.encode("ascii")


def _bytes_as_text(body: bytes, charset: str) -> str:
    text = body.decode("ascii", "surrogateescape")
    character = _CHARACTER_OF.get(charset)
    if character is None or (text.isascii() and charset != "iso-2022-jp"):
        return text
    return character.sub(lambda found: "".join(map(_as_byte, found[0])), text)


def _as_byte(char: str) -> str:
    return chr(ord(char) | _BYTE_AS_CHAR)


def _units(body: bytes, charset: str) -> str:
    units = array("H", body[: len(body) // 2 * 2])
    if (sys.byteorder == "big") != (charset == "utf-16be"):
        units.byteswap()
    return "".join(map(chr, units))
