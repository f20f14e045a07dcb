"""The nearest pages first."""

from __future__ import annotations

from weft.order.order import MAX_RANK
from weft.types import Link


class BreadthFirst:
    """By depth."""

    def rank(self, link: Link) -> int:
        return min(link.depth, MAX_RANK)
