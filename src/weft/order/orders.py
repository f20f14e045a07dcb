"""Which orders there are: ours by name, a user's own by its import path."""

from __future__ import annotations

from typing import cast

from weft.errors import BadInput
from weft.import_path import load
from weft.order.best_first import BestFirst
from weft.order.breadth_first import BreadthFirst
from weft.order.depth_first import DepthFirst
from weft.order.fish import Fish
from weft.order.link_rank import Hits, PageRank
from weft.order.opic import Opic
from weft.order.order import Order, ScoringOrder, Wants
from weft.order.shark import Shark

ORDERS: dict[str, type[Order]] = {
    "bfs": BreadthFirst,
    "dfs": DepthFirst,
    "best-first": BestFirst,
    "fish": Fish,
    "shark": Shark,
    "opic": Opic,
    "pagerank": PageRank,
    "hits": Hits,
}
NOTHING_ELSE = Wants()


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


def wants_of(order: Order) -> Wants:
    """What an order needs to be told of."""
    return order.wants if isinstance(order, ScoringOrder) else NOTHING_ELSE


def is_ours(order: Order) -> bool:
    """Whether it is one of weft's own, which need not be watched."""
    return type(order) in ORDERS.values()
