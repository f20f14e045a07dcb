"""What a user might write; test_load.py loads it by import path."""

from __future__ import annotations

from weft.filter import Stage, UrlFilter
from weft.types import Link, Refusal


def no_calendar(link: Link) -> bool:
    return "/calendar/" in link.url and link.depth > 3


def names_its_reason(link: Link) -> Refusal | None:
    return Refusal.LENGTH if link.depth else None


def answers_nonsense(link: Link) -> str:
    return "no"


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
