"""How many snippets a text has that it should have, and should not."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from bench.article.corpus import Labels

_URL = re.compile(r'\]\((?:[^()\s\\]|\\.|\([^()\s]*\)){0,4000}(?:\s+"[^"]*")?\)')
_MARKS = re.compile(r"(?<!\\)(?:\*\*|~~|!?\[|`|(?<!\w)_|_(?!\w)|\*)")
_BEGINNINGS = re.compile(r"(?m)^[ \t]*(?:#{1,6}|[-*+]|\d+\.|>)[ \t]+")
_ESCAPES = re.compile(r"\\([!-/:-@\[-`{-~])")


class Tally(msgspec.Struct):
    """Snippets found and not found."""

    found: int = 0
    missed: int = 0
    wrong: int = 0

    def add(self, labels: Labels, text: str) -> None:
        """Count those of one page."""
        text = on_one_line(text)
        found = sum(on_one_line(snippet) in text for snippet in labels.has)
        self.found += found
        self.missed += len(labels.has) - found
        self.wrong += sum(on_one_line(snippet) in text for snippet in labels.lacks)

    @property
    def precision(self) -> float:
        """Of what was found, how much should be."""
        return self.found / max(self.found + self.wrong, 1)

    @property
    def recall(self) -> float:
        """Of what should be found, how much was."""
        return self.found / max(self.found + self.missed, 1)

    @property
    def f(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.found / max(2 * self.found + self.missed + self.wrong, 1)


def tally_of(pages: Iterable[tuple[Labels, str]]) -> Tally:
    """All pages together."""
    tally = Tally()
    for labels, text in pages:
        tally.add(labels, text)
    return tally


def on_one_line(text: str) -> str:
    """Runs of white space as one space, as it is for both snippets and texts."""
    return " ".join(text.split())


def words_of_markdown(text: str) -> str:
    """The words without marks: a snippet may go across a link or a bold word."""
    return _ESCAPES.sub(r"\1", _BEGINNINGS.sub("", _MARKS.sub("", _URL.sub("", text))))
