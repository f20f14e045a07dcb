"""A line of text in the making: words, marks on them, links, code and images.

Marks are opened when the first word in them comes, so what holds no words leaves none, and white space at the edges of
a mark stands outside of it. A mark that is still open at the end of a paragraph is closed there and opened again in
the next: `<b><p>one<p>two</b>` is two bold paragraphs, and so is a link around a heading.

    marks     the elements around the next word, outermost first
    _opened   how many of them this line has already opened
    _parts    what is written so far
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from weft.parse.markdown.emphasis import drop_marks_that_would_be_text
from weft.parse.markdown.escape import code_span, escaped, escaped_line_start, link_target
from weft.regex import regex

HARD_BREAK: Final = "  \n"
_END_OF_LABEL: Final = "]:"  # `[x]: y` is no text, not even where x and y are code
QUOTE: Final = '"'
LINK: Final = ""
# Renderers decode what they show of a URL in angle brackets.
_NOT_SHOWN_AS_IT_IS: Final = regex(r"%|xn--|[\s<>\\&]|^(?!https?://)", re.IGNORECASE)
# A link around a thousand paragraphs is a thousand links: a page must not grow by it beyond all bounds.
_LONG_URL_CHARS: Final = 200
_MOST_REPEATED_CHARS: Final = 250_000


@dataclass(slots=True)
class Mark:
    """An element that makes a difference to the words in it. `sign` is LINK for a link."""

    sign: str
    url: str = ""
    is_written: bool = True


class _Code(str):
    """Code, without its backticks."""

    __slots__ = ()


class Line:
    """One paragraph, heading or cell after the other."""

    __slots__ = (
        "_has_code", "_link", "_long_urls", "_opened", "_pairs", "_parts", "_repeated_chars", "_starts", "is_broken",
        "is_item", "is_other_code", "marks", "space",
    )  # fmt: skip

    def __init__(self) -> None:
        self.marks: list[Mark] = []
        self.space = False  # before the next word
        self.is_broken = False  # there, too
        self.is_item = False  # of a list in a cell
        self.is_other_code = False  # than what was before
        self._link = ""  # what the next word is a link to
        self._long_urls: set[str] = set()
        self._repeated_chars = 0
        self._begin()

    def _begin(self) -> None:
        self._parts: list[str] = []
        self._opened = 0
        self._pairs: list[tuple[int, int]] = []  # where marks begin and end
        self._starts: list[int] = []  # of those that are open
        self._has_code = False

    @property
    def is_empty(self) -> bool:
        return not self._parts

    # ── what comes next on the page ────────────────────────────────────────────────────────────────────

    def add_text(self, data: str) -> None:
        if not data.isascii():
            data = _without_unseen_chars(data)
        words = data.split()
        if not words:
            self.space = self.space or bool(data)
            return
        text = " ".join(words)
        if data[0].isspace():
            self.space = True
        self._before_words()
        self._parts.append(escaped(text, in_link=self._link != ""))
        if data[-1].isspace():
            self.space = True

    def add_code(self, data: str) -> None:
        words = data.split()
        if not words or (_END_OF_LABEL in data and self.has(LINK)):
            self.add_text(data)
            return
        self.space = self.space or data[0].isspace()
        self._has_code = True
        code = " ".join(words)
        parts = self._parts
        is_apart = self.is_broken or self.is_item or (self.space and self.is_other_code)
        self.is_other_code = False
        if parts and self._opened == len(self.marks) and type(parts[-1]) is _Code and not is_apart:
            parts.append(_Code(f" {code}" if self.space else code))  # one piece, joined at the end
        else:
            self._before_words()
            parts.append(_Code(code))
        self.space = data[-1].isspace()

    def add_image(self, alt: str, url: str) -> None:
        self._before_words()
        self._parts.append(f"![{escaped(' '.join(alt.split()), in_link=True)}]({link_target(url)})")

    def add_written(self, markdown: str) -> None:
        """What is Markdown already."""
        self._before_words()
        self._parts.append(markdown)

    def has(self, sign: str) -> bool:
        """Whether such a mark is around the next word."""
        return any(mark.sign == sign for mark in self.marks)

    def open(self, mark: Mark) -> None:
        """None of its kind is around: they are few, however deep a page is, and each paragraph writes them again."""
        self.marks.append(mark)

    def close(self) -> None:
        mark = self.marks[-1]
        if self._opened == len(self.marks):
            self._close_written(mark)
            self._opened -= 1
        self.marks.pop()

    # ── what is written ────────────────────────────────────────────────────────────────────────────────

    def _before_words(self) -> None:
        parts = self._parts
        if self.is_broken:
            if parts:
                parts.append(HARD_BREAK)
            self.is_broken = False
        elif self.space and parts:
            parts.append(" ")
        self.space = False
        if self.is_item:
            parts.append("* ")
            self.is_item = False
        while self._opened < len(self.marks):
            self._open_written(self.marks[self._opened])
            self._opened += 1

    def _open_written(self, mark: Mark) -> None:
        parts = self._parts
        if mark.is_written and not mark.sign:
            mark.is_written = self._may_write(mark.url)
            self._link = mark.url if mark.is_written else ""
            self._escape_mark_of_image()
        if mark.sign and self._pairs and self._pairs[-1][1] == len(parts) - 1 and parts[-1] == mark.sign:
            parts.pop()  # one bold word follows another
            self._starts.append(self._pairs.pop()[0])
            return
        self._starts.append(len(parts))
        parts.append((mark.sign or "[") if mark.is_written else "")

    def _escape_mark_of_image(self) -> None:
        parts = self._parts
        last = next((place for place in range(len(parts) - 1, -1, -1) if parts[place]), None)
        if last is not None and parts[last].endswith("!") and type(parts[last]) is str:
            parts[last] = f"{parts[last][:-1]}\\!"

    def _close_written(self, mark: Mark) -> None:
        start = self._starts.pop()
        parts = self._parts
        if not mark.is_written:
            return
        if mark.sign:
            if mark.sign != QUOTE:
                self._pairs.append((start, len(parts)))
            parts.append(mark.sign)
            return
        self._link = ""
        if (
            len(parts) == start + 2
            and type(parts[-1]) is str
            and parts[-1] == mark.url
            and not _NOT_SHOWN_AS_IT_IS.search(mark.url)
        ):
            parts[start:] = [f"<{mark.url}>"]
        else:
            parts.append(f"]({link_target(mark.url)})")

    def _may_write(self, url: str) -> bool:
        if len(url) <= _LONG_URL_CHARS:
            return True
        if url in self._long_urls:
            self._repeated_chars += len(url)
        self._long_urls.add(url)
        return self._repeated_chars <= _MOST_REPEATED_CHARS

    def take(self, *, is_paragraph: bool = True) -> str:
        """The line, which may have hard breaks in it if it is a paragraph. The next one begins empty."""
        parts = self._parts
        self.space = self.is_broken = self.is_item = False
        if not parts:
            return ""
        for mark in reversed(self.marks[: self._opened]):
            self._close_written(mark)
        if self._pairs:
            drop_marks_that_would_be_text(parts, self._pairs)
        if self._has_code:
            parts = _with_backticks(parts)
        line = "".join(parts)
        self._begin()
        if not is_paragraph:
            return line
        if HARD_BREAK in line:
            return HARD_BREAK.join(map(escaped_line_start, line.split(HARD_BREAK)))
        return escaped_line_start(line)


def _with_backticks(parts: list[str]) -> list[str]:
    """Pieces of code side by side, also where a dropped mark was between them, are one."""
    written: list[str] = []
    for is_code, run in groupby(filter(None, parts), key=lambda part: type(part) is _Code):
        joined = "".join(run)
        written.append(code_span(joined) if is_code else joined)
    return written


def _without_unseen_chars(data: str) -> str:
    """Without soft hyphens and byte order marks, and without spaces of no width that are alone."""
    if "\xad" in data or "\ufeff" in data:
        data = data.replace("\xad", "").replace("\ufeff", "")
    return data if "\u200b" not in data or data.replace("\u200b", "").split() else data.replace("\u200b", "")
