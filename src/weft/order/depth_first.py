"""The first link of the page that was just read, and so on downwards."""

from __future__ import annotations

from collections.abc import Sequence

from weft.order.order import MAX_RANK, PageDone, Wants
from weft.types import Link, Standing


class DepthFirst:
    """By how long the way is that was walked, longest first. A URL that waits is moved to where it is met again.

    That way is not the shortest one, which `--depth` goes by.
    """

    wants = Wants(turns=True, renewal=True)

    def rank(self, link: Link) -> int:
        return self.rank_of(self.first(link).score if link.standing is None else link.standing.score)

    def first(self, link: Link) -> Standing:
        return Standing(0.0)

    def standings(self, page: PageDone) -> Sequence[Standing]:
        return [Standing(page.standing.score + 1)] * page.links

    def merged(self, known: Standing, new: Standing) -> Standing:
        return new

    def rank_of(self, score: float) -> int:
        return max(0, MAX_RANK - int(score))
