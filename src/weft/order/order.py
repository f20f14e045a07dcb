"""Orders of visiting."""

from __future__ import annotations

from typing import Protocol

from weft.errors import BadInput
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


ORDERS: dict[str, type[Order]] = {"bfs": BreadthFirst}


def order_named(name: str) -> Order:
    """The order that the user asked for."""
    if name not in ORDERS:
        raise BadInput(f"unknown order {name!r}; known are {', '.join(ORDERS)}")
    return ORDERS[name]()
