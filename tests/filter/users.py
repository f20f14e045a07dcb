"""What a user might write; test_load.py loads it by import path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from weft.filter import Stage, UrlFilter
from weft.types import Link, Refusal


def no_calendar(link: Link) -> bool:
    return "/calendar/" in link.url and link.depth > 3


def names_its_reason(link: Link) -> Refusal | None:
    return Refusal.LENGTH if link.depth else None


def answers_with_a_match(link: Link) -> re.Match[str] | None:
    return re.search(r"/\d{4}/", link.url)


class NeitherTrueNorFalse:
    def __bool__(self) -> bool:
        raise ValueError("ambiguous")


def answers_with_no_truth(link: Link) -> NeitherTrueNorFalse:
    return NeitherTrueNorFalse()


def leaves(link: Link) -> bool:
    raise SystemExit


async def judges_later(link: Link) -> bool:
    return False


def judges_bit_by_bit(link: Link) -> Iterator[bool]:
    yield False


class JudgesLater:
    async def refuses(self, link: Link) -> bool:
        return False


class CalledLater:
    async def __call__(self, link: Link) -> bool:
        return False


called_later = CalledLater()
partly_later = partial(judges_later)


def hands_on(link: Link) -> object:
    """As a decorator that does not say what it wraps."""
    return judges_bit_by_bit(link)


class Plain:
    """Knows nothing of weft."""

    stage = "fetch"

    def refuses(self, link: Link) -> bool:
        return link.via == ""


class Whole(UrlFilter):
    """Derived from weft's class."""

    stage = Stage.FETCH

    def refuses(self, link: Link) -> Refusal | None:
        return Refusal.USER


class AnswersTrue(UrlFilter):
    """Derived from weft's class, and answers as a plain function may."""

    bounds_scope = True

    def refuses(self, link: Link) -> Refusal | None:
        return True  # type: ignore[return-value]  # what users do

    def rule_of(self, url: str, host: str, depth: int) -> str:
        return f"deeper than {depth - 1}"


class Counting:
    def __init__(self, limit: int) -> None:
        self.limit = limit

    def refuses(self, link: Link) -> bool:
        self.limit -= 1
        return self.limit < 0


class OddStage:
    stage = "sometime"

    def refuses(self, link: Link) -> bool:
        return True


class NoFilter:
    pass


only_two = Counting(2)
number = 5
