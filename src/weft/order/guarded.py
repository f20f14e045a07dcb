"""A user's own order, watched: what it does wrong costs a URL its place in the queue, and nothing else."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from weft.order.order import MAX_RANK, LearningOrder, Order, PageDone, ScoringOrder, fitting
from weft.order.orders import is_ours
from weft.types import FoundLink, Link, PageRow, Standing

T = TypeVar("T")

MAX_ERRORS_REPORTED = 5


def guarded(order: Order) -> Order:
    """The order as the engine asks it: one of ours as it is."""
    if is_ours(order):
        return order
    if isinstance(order, ScoringOrder):
        return GuardedScoring(order)
    return GuardedLearning(order) if isinstance(order, LearningOrder) else Guarded(order)


class Guarded:
    """Asks it, and goes on when it fails; the first errors are reported."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._errors = 0

    def rank(self, link: Link) -> int:
        return self._try(lambda: fitting(self._order.rank(link)), MAX_RANK)

    def _try(self, ask: Callable[[], T], otherwise: T) -> T:
        try:
            return ask()
        except Exception:  # whatever a user's code raises
            self._errors += 1
            if self._errors <= MAX_ERRORS_REPORTED:
                print(f"weft: the order {type(self._order).__name__} failed, the crawl goes on:", file=sys.stderr)
                traceback.print_exc()
            if self._errors == MAX_ERRORS_REPORTED:
                print("weft: its further errors are not shown", file=sys.stderr)
            return otherwise


class GuardedScoring(Guarded):
    """What is no standing, or is missing, is none."""

    def __init__(self, order: ScoringOrder) -> None:
        super().__init__(order)
        self._scoring = order
        self.wants = order.wants

    def first(self, link: Link) -> Standing:
        return self._try(lambda: _standing(self._scoring.first(link)), Standing())

    def standings(self, page: PageDone) -> Sequence[Standing]:
        return self._try(lambda: [_standing(one) for one in self._scoring.standings(page)], ())

    def merged(self, known: Standing, new: Standing) -> Standing:
        return self._try(lambda: _standing(self._scoring.merged(known, new)), known)

    def rank_of(self, score: float) -> int:
        return self._try(lambda: fitting(self._scoring.rank_of(score)), MAX_RANK)


class GuardedLearning(Guarded):
    """What cannot be moved stays where it is."""

    def __init__(self, order: LearningOrder) -> None:
        super().__init__(order)
        self._learning = order

    def finished(self, page: PageRow, links: Sequence[FoundLink]) -> None:
        self._try(lambda: self._learning.finished(page, links), None)

    def moves(self) -> Iterable[tuple[FoundLink, int]]:
        return self._try(lambda: [(found, fitting(rank)) for found, rank in self._learning.moves()], [])


def _standing(given: Standing) -> Standing:
    return Standing(float(given.score), float(given.inherited))
