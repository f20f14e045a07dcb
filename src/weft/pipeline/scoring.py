"""An order that scores: at a page's end its links stand as the order says, and what waits moves accordingly.

All of it is part of the page's own batch, so a kill loses no score and counts none twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import msgspec

from weft.frontier import Frontier
from weft.order import PageDone, ScoringOrder
from weft.pipeline.link_rows import keep_links
from weft.state import Batch
from weft.stats import Counters
from weft.types import FoundLink, Outlinks, PageRow, Processed, Standing, Visit
from weft.url import ID_BYTES

NOT_MODIFIED = 304  # what was known of the page still holds
RELEVANT = 0.2  # a page of this relevance counts as one on the topic


class Scoring:
    """Tells the order of pages, and their links how they stand."""

    def __init__(self, order: ScoringOrder, frontier: Frontier, counters: Counters, *, keeps_graph: bool) -> None:
        assert frontier.places is not None
        self._order = order
        self._places = frontier.places
        self._counters = counters
        self._keeps_graph = keeps_graph or order.wants.graph
        self._standing = Standing()  # of the page whose visit ends
        self._places.first, self._places.rank = order.first, order.rank_of
        self._places.renews = order.wants.renewal
        self._places.recall(order.merged)

    def begin(self, visit: Visit) -> None:
        """A visit ends; its place is about to go."""
        standing = self._places.standing(visit.id)
        self._standing = standing or visit.link.standing or self._order.first(visit.link)

    def links(self, batch: Batch, url_id: bytes, page: PageRow | None, processed: Processed) -> Iterator[FoundLink]:
        """The links that may be new, each as it stands; the others that wait hear of it on the way.

        They come in the order of the page, and those that wait move in between: of equal rank the first on the page
        is visited first. `page` is None if its links were read again.
        """
        if page is not None and not self._order.wants.renewal:  # else a score says when a page was met, not its worth
            self._counters.value += self._standing.score
        outlinks = processed.outlinks
        if outlinks is None:
            return iter(processed.links)
        standing = self._standing if page is not None else Standing()
        worths = array("f", outlinks.worths)
        is_redirect = page is not None and 300 <= page.status < 400
        ids = outlinks.ids
        done = PageDone(standing, len(ids) // ID_BYTES, outlinks.relevance, worths, is_redirect)
        standings = self._order.standings(done)
        if page is not None:
            self._counters.relevance += outlinks.relevance
            self._counters.relevant += outlinks.relevance >= RELEVANT
            if self._keeps_graph and page.status != NOT_MODIFIED:
                keep_links(batch, url_id, outlinks, self._head(outlinks, standings))
        return self._each(batch, ids, standings, processed.links)

    def _head(self, outlinks: Outlinks, standings: Sequence[Standing]) -> float:
        if self._order.wants.topic:
            return outlinks.relevance
        return standings[0].score if standings else 0.0

    def _each(
        self, batch: Batch, ids: bytes, standings: Sequence[Standing], links: Sequence[FoundLink]
    ) -> Iterator[FoundLink]:
        places, restand, merged = self._places, self._places.restand, self._order.merged
        may_be_new = {found.id: found for found in links}
        for at, standing in zip(range(0, len(ids), ID_BYTES), standings, strict=False):
            url_id = ids[at : at + ID_BYTES]
            if (found := may_be_new.pop(url_id, None)) is not None:
                puts = places.puts
                yield FoundLink(found.id, found.host, msgspec.structs.replace(found.link, standing=standing))
                if places.puts != puts:
                    continue
            restand(batch, url_id, standing, merged)
        yield from may_be_new.values()
