"""What an order is. A lower rank is visited earlier; equal ranks in the order found.

Order           ranks a link when it is queued
ScoringOrder    says at each page's end how its links stand; what waits moves when that changes its rank
LearningOrder   is told of each visit, and may move what waits as it likes
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Protocol, runtime_checkable

import msgspec

from weft.types import FoundLink, Link, PageRow, Standing

MAX_RANK: Final = 0xFFFE  # what comes behind it is for retries


class Wants(msgspec.Struct, frozen=True):
    """What an order that scores needs besides the links of each page. What nobody wants costs nothing."""

    topic: bool = False  # how much page and links have to do with the crawl's topic
    graph: bool = False  # the graph of links, on disk
    turns: bool = False  # a page's links before its host's next page is chosen
    renewal: bool = False  # that what moves stands behind all that have its new rank, as if it had just been found


class Order(Protocol):
    """The plug-in point."""

    def rank(self, link: Link) -> int:
        """0 (first) to MAX_RANK (last)."""
        ...


class PageDone(msgspec.Struct, frozen=True, gc=False):
    """A page whose links are to be judged."""

    standing: Standing  # its own, when its visit ended
    links: int  # how many it has
    relevance: float = 0.0  # to the topic, 0 to 1
    worths: Sequence[float] = ()  # of its links in their order: what is said of the topic in and around them; empty: 0
    is_redirect: bool = False  # it is the same page under another name


@runtime_checkable
class ScoringOrder(Order, Protocol):
    """An order by scores, which are kept beside the queue: kills lose none."""

    wants: Wants

    def first(self, link: Link) -> Standing:
        """How a link stands that no page gave anything: a seed, what a sitemap names."""
        ...

    def standings(self, page: PageDone) -> Sequence[Standing]:
        """What each link of a page gets from it, in their order."""
        ...

    def merged(self, known: Standing, new: Standing) -> Standing:
        """How a link stands that waits already, and was found once more."""
        ...

    def rank_of(self, score: float) -> int:
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
