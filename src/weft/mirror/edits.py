"""What is to be changed in a text, and texts within texts.

A style attribute is CSS inside an attribute's value inside a page, and a srcdoc is a page there. What was found in such
an inner text is carried out to the text around it: `Value.outward`.

    <p style="a:url(&quot;x.png&quot;)">      the page
              a:url("x.png")                  Value.text: references are resolved
                     5 … 10                   an edit there
                          → 20 … 25           the same edit in the page, escaped for its place
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from weft.parse.char_refs import REFERENCE, in_attribute, in_text, in_xml
from weft.regex import regex

# What must not stand as it is, by what is around it: a kind of quote, nothing, or tags.
_UNSAFE: Final = {
    '"': regex('[&"<]'),
    "'": regex("[&'<]"),
    "": regex("[&\"'<>\t\n\f\r ]"),
    "text": regex("[&<]"),
}
# The same in a style sheet: in url(), and in strings of each kind.
_UNSAFE_IN_CSS: Final = {
    "": regex(r"[\"'()\\]"),
    '"': regex(r'["\\]'),
    "'": regex(r"['\\]"),
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
        reading = in_xml if is_xml else in_text if self.around == "text" else in_attribute
        pieces: list[str] = []
        size = 0
        done = 0
        for found in REFERENCE.finditer(self._raw):
            meant = reading(found)
            if meant is None:
                self.is_known = self.is_known and not (is_xml and found[3] and found[0].endswith(";"))
                continue
            chars, raw_chars = meant
            literal = self._raw[done : found.start()]
            pieces += (literal, chars)
            size += len(literal) + len(chars)
            done = found.start() + raw_chars
            self._marks.append((size, done))
        pieces.append(self._raw[done:])
        return "".join(pieces)


def escape(text: str, around: str) -> str:
    """A text as it must stand inside quotes of one kind, without quotes, or between tags."""
    return _UNSAFE[around].sub(lambda found: _ESCAPED.get(found[0]) or f"&#{ord(found[0])};", text)


def escape_in_css(url: str, quote: str) -> str:
    """A URL as it must stand in url(), or between quotes, of a style sheet."""
    return _UNSAFE_IN_CSS[quote].sub(r"\\\g<0>", url)
