"""In which order a host's URLs are visited, and whose turn comes first among the hosts that are ready.

An order is one method. `bfs` is the first; any object with `rank` can be given instead.
"""

from weft.order.order import ORDERS, BreadthFirst, Order, order_named

__all__ = ["ORDERS", "BreadthFirst", "Order", "order_named"]
