"""Which orders there are: ours by name, a user's own by its import path."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from weft.errors import BadInput
from weft.import_path import load
from weft.order.breadth_first import BreadthFirst
from weft.order.order import Order, fitting
from weft.types import Link

ORDERS: dict[str, type[Order]] = {"bfs": BreadthFirst}


def order_named(name: str) -> Order:
    """The order that the user asked for."""
    if name in ORDERS:
        return ORDERS[name]()
    if ":" not in name:
        raise BadInput(f"unknown order {name!r}; known are {', '.join(ORDERS)}, or your own as package.module:Name")
    found = load(name, "the order")
    try:
        order = found() if isinstance(found, type) else found
    except TypeError as error:
        raise BadInput(f"the order class {name!r} cannot be made without arguments: {error}") from error
    if not callable(getattr(order, "rank", None)):
        raise BadInput(f"the order {name!r} has no method rank(link)")
    return cast("Order", order)


def rank_by(order: Order) -> Callable[[Link], int]:
    """The rank of a link: by one of our orders as it is, by a user's so that it fits."""
    if type(order) in ORDERS.values():
        return order.rank
    return lambda link: fitting(order.rank(link))
