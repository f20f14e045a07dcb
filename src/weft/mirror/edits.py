"""What is to be changed in a text, and texts within texts.

A style attribute is CSS inside an attribute's value inside a page, and a srcdoc is a page there. What was found in such
an inner text is carried out to the text around it: `Value.outward`.

    <p style="a:url(&quot;x.png&quot;)">      the page
              a:url("x.png")                  Value.text: references are resolved
                     5 … 10                   an edit there
                          → 20 … 25           the same edit in the page, escaped for its place
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from html.entities import html5
from typing import Final, NamedTuple

_REFERENCE: Final = re.compile(r"&(?:#[xX]([0-9a-fA-F]+);?|#([0-9]+);?|([a-zA-Z][a-zA-Z0-9]*+);?(?=(=?)))")
_MAX_NAME_CHARS: Final = max(map(len, html5))
_REPLACEMENT: Final = "\ufffd"
# What was meant by those who wrote windows-1252; where it has no character, the number counts.
_MEANT: Final = {
    number: bytes([number]).decode("cp1252", "replace").replace(_REPLACEMENT, chr(number)) for number in range(128, 160)
}

# What must not stand as it is, by what is around it: a kind of quote, nothing, or tags.
_UNSAFE: Final = {
    '"': re.compile('[&"<]'),
    "'": re.compile("[&'<]"),
    "": re.compile("[&\"'<>\t\n\f\r ]"),
    "text": re.compile("[&<]"),
}
# The same in a style sheet: in url(), and in strings of each kind.
_UNSAFE_IN_CSS: Final = {
    "": re.compile(r"[\"'()\\]"),
    '"': re.compile(r'["\\]'),
    "'": re.compile(r"['\\]"),
}
_ESCAPED: Final = {"&": "&amp;", '"': "&quot;", "<": "&lt;"}


class Edit(NamedTuple):
    """Put `text` in the place of what is between `start` and `end`."""

    start: int
    end: int
    text: str


class Value:
    """A text that stands in another from `start` on, as `raw`, between two quotes, none (""), or tags ("text")."""

    __slots__ = ("_marks", "_raw", "_start", "around", "is_known", "text")

    def __init__(self, raw: str, start: int, around: str, is_xml: bool = False) -> None:
        self._raw = raw
        self._start = start
        self.around = around
        self.is_known = True  # False if an entity is in it that the file itself declares
        self._marks: list[tuple[int, int]] = []  # (place in the text, place in the raw text) where the two part
        self.text = self._resolve(is_xml) if "&" in raw else raw

    def outward(self, edits: Iterable[Edit]) -> Iterator[Edit]:
        """Edits of this text as edits of the text around it."""
        for start, end, text in edits:
            raw_start, is_open = self._raw_place(start)
            raw_end = self._raw_place(end)[0] if end > start else raw_start
            escaped = escape(text, self.around)
            # `&quot` needs no semicolon before a slash, but does before a letter.
            yield Edit(self._start + raw_start, self._start + raw_end, ";" + escaped if is_open else escaped)

    def _raw_place(self, place: int) -> tuple[int, bool]:
        """Where it is in the raw text, and whether a reference without its semicolon stands before it."""
        if not self._marks:
            return place, False
        index = bisect_right(self._marks, (place, len(self._raw))) - 1
        if index < 0:
            return place, False
        behind, raw_behind = self._marks[index]
        is_open = behind == place and not self._raw.endswith(";", 0, raw_behind)
        return raw_behind + place - behind, is_open

    def _resolve(self, is_xml: bool) -> str:
        pieces: list[str] = []
        size = 0
        done = 0
        for found in _REFERENCE.finditer(self._raw):
            meant = _numbered(found) if found[3] is None else self._named(found, is_xml)
            if meant is None:
                continue
            chars, raw_chars = meant
            literal = self._raw[done : found.start()]
            pieces += (literal, chars)
            size += len(literal) + len(chars)
            done = found.start() + raw_chars
            self._marks.append((size, done))
        pieces.append(self._raw[done:])
        return "".join(pieces)

    def _named(self, found: re.Match[str], is_xml: bool) -> tuple[str, int] | None:
        """What a name stands for, and the length of it with its &; None when it is none."""
        whole = found[0]
        if whole.endswith(";"):
            if chars := html5.get(found[3] + ";"):
                return chars, len(whole)
            self.is_known = self.is_known and not is_xml
        elif self.around != "text":  # in an attribute, `?a=1&copy=2` and `&copyright` stay what they are
            chars = None if is_xml or found[4] else html5.get(found[3])
            return (chars, len(whole)) if chars else None
        if self.around != "text" or is_xml:
            return None
        for size in range(min(len(found[3]), _MAX_NAME_CHARS), 1, -1):
            if chars := html5.get(found[3][:size]):
                return chars, size + 1
        return None


def escape(text: str, around: str) -> str:
    """A text as it must stand inside quotes of one kind, without quotes, or between tags."""
    return _UNSAFE[around].sub(lambda found: _ESCAPED.get(found[0]) or f"&#{ord(found[0])};", text)


def escape_in_css(url: str, quote: str) -> str:
    """A URL as it must stand in url(), or between quotes, of a style sheet."""
    return _UNSAFE_IN_CSS[quote].sub(r"\\\g<0>", url)


def _numbered(found: re.Match[str]) -> tuple[str, int]:
    digits, base = (found[1], 16) if found[1] else (found[2], 10)
    digits = digits.lstrip("0") or "0"
    number = int(digits, base) if len(digits) <= 7 else 0
    if number == 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return _REPLACEMENT, len(found[0])
    return _MEANT.get(number) or chr(number), len(found[0])
