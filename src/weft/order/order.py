"""Orders of visiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, cast, runtime_checkable

from weft.errors import BadInput
from weft.import_path import load
from weft.types import FoundLink, Link, PageRow

MAX_RANK = 0xFFFF


class Order(Protocol):
    """The plug-in point: a lower rank is visited earlier; equal ranks in the order found."""

    def rank(self, link: Link) -> int:
        """0 (first) to 65,535 (last)."""
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


class BreadthFirst:
    """The nearest pages first."""

    def rank(self, link: Link) -> int:
        return min(link.depth, MAX_RANK)


def rank_by(order: Order) -> Callable[[Link], int]:
    """The rank of a link, by one of our orders as it is, by a user's so that it fits."""
    if type(order) in ORDERS.values():
        return order.rank
    return lambda link: fitting(order.rank(link))


def fitting(rank: float) -> int:
    """A rank that does not fit is the next one that does. The last is for retries."""
    return max(0, min(MAX_RANK - 1, int(rank)))


ORDERS: dict[str, type[Order]] = {"bfs": BreadthFirst}


def order_named(name: str) -> Order:
    """The order that the user asked for: one of ours, or his own by its import path."""
    if name in ORDERS:
        return ORDERS[name]()
    if ":" not in name:
        raise BadInput(f"unknown order {name!r}; known are {', '.join(ORDERS)}, or your own as package.module:Name")
    found = load(name, "the order")
    order = found() if isinstance(found, type) else found
    if not callable(getattr(order, "rank", None)):
        raise BadInput(f"the order {name!r} has no method rank(link)")
    return cast("Order", order)
