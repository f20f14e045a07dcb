"""Blocks, one after the other, each line with what the lists and quotations around it put in front.

    pending   what stands before the next line, if it is the first in a list item or quotation: "- " or "> - "
    rest      what stands before the lines after it: "  " or ">   "

A container shows itself only when its first line is written, so an empty one leaves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# Deeper lists and quotations are written at this depth: no line grows with the depth of the page.
_WIDEST_FRONT: Final = 32


@dataclass(frozen=True, slots=True)
class Outside:
    """What was before a container was opened."""

    written: int
    pending: str | None
    rest: str
    blank: str


class Blocks:
    """The Markdown so far."""

    __slots__ = ("_after_list", "_blank", "_lines", "_pending", "_rest", "is_rule_due", "is_tight")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pending: str | None = None
        self._rest = ""
        self._blank = ""  # the empty line before a container belongs to what is around it
        self._after_list = (-1, "", "")
        self.is_tight = False  # no empty line before the next block
        self.is_rule_due = False

    @property
    def is_at_start(self) -> bool:
        """Of the page or of a container."""
        return self._pending is not None or not self._lines

    @property
    def lines(self) -> int:
        """How many there are."""
        return len(self._lines)

    def write(self, block: str) -> None:
        if self.is_rule_due:
            self.is_rule_due = False
            if not self.is_at_start:
                self.is_tight = False
                self._write("---")
        self._write(block)

    def _write(self, block: str) -> None:
        lines = self._lines
        if lines and not self.is_tight:
            lines.append((self._rest if self._pending is None else self._blank).rstrip())
        first, *others = block.split("\n")
        lines.append((self._rest if self._pending is None else self._pending) + first)
        if others:
            rest = self._rest
            bare = rest.rstrip()
            lines.extend([rest + line if line else bare for line in others])
        self._pending = None
        self.is_tight = False

    def open(self, mark: str, rest: str) -> Outside | None:
        """A container, unless there are too many around it."""
        if len(self._rest) + len(rest) > _WIDEST_FRONT:
            return None
        outside = Outside(len(self._lines), self._pending, self._rest, self._blank)
        if self._pending is None:
            self._blank = self._rest
            self._pending = self._rest + mark
        else:
            self._pending += mark
        self._rest += rest
        return outside

    def indent(self, rest: str) -> Outside | None:
        """What follows belongs to the list item before."""
        if len(self._rest) + len(rest) > _WIDEST_FRONT:
            return None
        outside = Outside(len(self._lines), self._pending, self._rest, self._blank)
        self._rest += rest
        return outside

    def close(self, outside: Outside | None) -> bool:
        """Back to what is around it. Whether anything was written in it."""
        self.is_tight = False
        if outside is None:
            return True
        is_written = len(self._lines) > outside.written
        self._pending = None if is_written else outside.pending
        self._rest = outside.rest
        self._blank = outside.blank
        self.is_rule_due = False
        return is_written

    def list_mark(self, mark: str, other: str) -> str:
        """The one of two marks by which a list is told from one right before it."""
        return other if self._after_list == (len(self._lines), self._rest, mark) else mark

    def end_list(self, mark: str) -> None:
        self._after_list = (len(self._lines), self._rest, mark)

    def markdown(self) -> str:
        return "\n".join(self._lines)
