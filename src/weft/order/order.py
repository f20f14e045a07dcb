"""What an order is. A lower rank is visited earlier; equal ranks in the order found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, runtime_checkable

from weft.types import FoundLink, Link, PageRow

MAX_RANK: Final = 0xFFFE  # what comes behind it is for retries


class Order(Protocol):
    """The plug-in point."""

    def rank(self, link: Link) -> int:
        """0 (first) to MAX_RANK (last)."""
        ...


@runtime_checkable
class LearningOrder(Order, Protocol):
    """An order that is told what comes of the pages, and may change its mind about what waits."""

    def finished(self, page: PageRow, links: Sequence[FoundLink]) -> None:
        """A visit has ended, with these links that may be new."""
        ...

    def moves(self) -> Iterable[tuple[FoundLink, int]]:
        """Links that are to have another rank than before; asked for after each visit, so each is told once."""
        ...


def fitting(rank: float) -> int:
    """A rank that does not fit is the next one that does."""
    return int(max(0, min(MAX_RANK, rank)))  # in this order, also for what no int is: inf, and nan, which comes last
