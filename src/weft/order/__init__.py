"""In which order a host's URLs are visited, and whose turn comes first among the hosts that are ready.

An order is one method, `rank`. One that scores says how each link of a page stands; one that learns is told of visits,
and may move what waits. A user's own is named by its import path, `mymodule:MyOrder`.
"""

from weft.order.breadth_first import BreadthFirst
from weft.order.guarded import guarded
from weft.order.order import MAX_RANK, LearningOrder, Order, PageDone, ScoringOrder, Wants, fitting
from weft.order.orders import ORDERS, order_named, wants_of

__all__ = [
    "MAX_RANK", "ORDERS", "BreadthFirst", "LearningOrder", "Order", "PageDone", "ScoringOrder", "Wants", "fitting",
    "guarded", "order_named", "wants_of",
]  # fmt: skip
