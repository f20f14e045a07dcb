"""The rows of a page's links, in `graph` and in `links`: part of the batch in which the page's own row changes.

What was read last counts, as for the page's row. The links of a page that is read again from the archive are written
again, too: after a repair there are none, and a scope that has grown lets more of them pass.
"""

from __future__ import annotations

from weft.graph.rows import NODE_BYTES, head_of, row
from weft.pipeline.doors import Finished
from weft.state import Batch, State
from weft.types import Outlinks, Processed


def keep_links(batch: Batch, url_id: bytes, outlinks: Outlinks, head: float = 0.0) -> None:
    """Write a page's links; `head` is what the order gave each of them."""
    node = url_id[:NODE_BYTES]
    batch.put("graph", node, row(head, outlinks.edges))
    if outlinks.about:
        batch.put("links", node, outlinks.about)


class LinkKeeper:
    """A witness: the links of each page are kept, where no order that scores does it."""

    def finished(self, batch: Batch, visit: Finished) -> None:
        """A visit has ended."""
        if visit.counts and visit.processed is not None and visit.processed.outlinks is not None:
            keep_links(batch, visit.id, visit.processed.outlinks)

    def settle(self) -> None:
        """Nothing is in memory."""


class RereadLinks:
    """Keeps the links of pages that are read again from the archive."""

    def __init__(self, state: State) -> None:
        self._state = state

    def keep(self, batch: Batch, url_id: bytes, processed: Processed | None) -> None:
        """The links of a page were read again; what the order gave them stays."""
        if processed is not None and processed.outlinks is not None:
            before = self._state.get("graph", url_id[:NODE_BYTES])
            keep_links(batch, url_id, processed.outlinks, head_of(before) if before else 0.0)
