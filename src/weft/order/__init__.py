"""In which order a host's URLs are visited, and whose turn comes first among the hosts that are ready.

An order is one method, `rank`. One that learns has two more: it is told of visits, and may move what waits. A user's
own is named by its import path, `mymodule:MyOrder`.
"""

from weft.order.breadth_first import BreadthFirst
from weft.order.order import MAX_RANK, LearningOrder, Order, fitting
from weft.order.orders import ORDERS, order_named, rank_by

__all__ = ["MAX_RANK", "ORDERS", "BreadthFirst", "LearningOrder", "Order", "fitting", "order_named", "rank_by"]
