"""Orders of visiting."""

from __future__ import annotations

from typing import Protocol, cast

from weft.errors import BadInput
from weft.import_path import load
from weft.types import Link

MAX_RANK = 0xFFFF


class Order(Protocol):
    """The plug-in point: a lower rank is visited earlier; equal ranks in the order found."""

    def rank(self, link: Link) -> int:
        """0 (first) to 65,535 (last)."""
        ...


class BreadthFirst:
    """The nearest pages first."""

    def rank(self, link: Link) -> int:
        return min(link.depth, MAX_RANK)


class _UsersOrder:
    """A rank that does not fit is the next one that does."""

    def __init__(self, order: Order) -> None:
        self._order = order

    def rank(self, link: Link) -> int:
        return max(0, min(MAX_RANK, int(self._order.rank(link))))


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
    return _UsersOrder(cast("Order", order))
