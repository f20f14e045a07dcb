"""Which answers are right.

A title is right if it has the same letters and digits as the true one, in either case: quotation marks, dashes and
spaces are written in many ways. A date is right if it is the same day. Authors are right if they are the same names,
in any order.
"""

from __future__ import annotations

import re

import msgspec

from bench.metadata.corpus import TruePage
from bench.metadata.readers import Read

_NAMES_APART = re.compile(r"\s*(?:[,;&]|\bund\b|\band\b)\s*")


class Score(msgspec.Struct, frozen=True):
    """How one reader did."""

    reader: str
    pages: int
    titles: int  # right ones …
    true_titles: int  # … of those that are known
    dates: int
    true_dates: int
    authors: int
    true_authors: int
    cpu_ms: float  # a page


def score(reader: str, pages: list[TruePage], found: list[Read], cpu_s: float) -> Score:
    """The right answers among those that a reader found."""
    both = list(zip(pages, found, strict=True))
    return Score(
        reader,
        len(pages),
        sum(bool(true.title) and is_same_title(true.title, told["title"]) for true, told in both),
        sum(bool(true.title) for true in pages),
        sum(bool(true.date) and told["date"][:10] == true.date for true, told in both),
        sum(bool(true.date) for true in pages),
        sum(bool(true.authors) and are_same_authors(true.authors, told["authors"]) for true, told in both),
        sum(bool(true.authors) for true in pages),
        cpu_s / max(1, len(pages)) * 1000,
    )


def is_same_title(one: str, other: str) -> bool:
    """Whether they differ in punctuation at most."""
    return _letters(one) == _letters(other)


def are_same_authors(some: tuple[str, ...], others: list[str]) -> bool:
    """Whether the same people are named."""
    return _names(some) == _names(others)


def _names(authors: tuple[str, ...] | list[str]) -> set[str]:
    return {_letters(name) for author in authors for name in _NAMES_APART.split(author)}


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
