"""By PageRank, or by HITS' authorities, of the graph of links so far.

The graph is ranked again and again beside the crawl (`pipeline.ranking`, `graph.ranker`), as it grows. Until then a
link adds to its target's score what PageRank would let it pass on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft.order.order import PageDone, Wants
from weft.order.scores import Summed, by_magnitude
from weft.types import Standing

DAMPING: Final = 0.85
STEPS: Final = 16  # ranks a doubling of the score: finer than where each link moves its target


class LinkRank(Summed):
    """A URL's score is its rank in the graph."""

    wants = Wants(graph=True, turns=True)
    by: str  # the name of that rank in `graph.ranks`

    def standings(self, page: PageDone) -> Sequence[Standing]:
        return [Standing(DAMPING * page.standing.score / page.links)] * page.links if page.links else ()

    def rank_of(self, score: float) -> int:
        return by_magnitude(score, STEPS)


class PageRank(LinkRank):
    """Pages to which a reader comes who follows links at random."""

    by = "pagerank"


class Hits(LinkRank):
    """Pages to which good hubs link."""

    by = "hits"
