"""An order that learns hears how visits end, and what waits in the queue moves as it says."""

from __future__ import annotations

from weft.frontier import Frontier
from weft.order import LearningOrder
from weft.pipeline.doors import Finished
from weft.state import Batch


class Reordering:
    """A witness: moves are part of the batch of the page that brought them about."""

    def __init__(self, order: LearningOrder, frontier: Frontier) -> None:
        self._order = order
        self._frontier = frontier

    def finished(self, batch: Batch, visit: Finished) -> None:
        """Tell the order, and do what it wants."""
        links = visit.processed.links if visit.processed is not None else ()
        self._order.finished(visit.page, tuple(links))  # it may keep them, and what it takes out must not be lost to us
        places = self._frontier.places
        assert places is not None
        for found, rank in self._order.moves():
            places.move(batch, found.id, rank)

    def settle(self) -> None:
        """The frontier does."""
