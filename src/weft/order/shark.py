"""Shark search (Hersovici and others, 1998): fish search with shades of grey.

A link inherits from its page, and over several steps from the pages before, less at each; what is said in and around it
is added. So a crawl gets over pages that say nothing of the topic but lead to some that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft.order.order import PageDone
from weft.order.scores import BestKnown
from weft.types import Standing

DECAY: Final = 0.5  # delta: of what is inherited, at each step
INHERITED: Final = 0.5  # gamma: its share in the score


class Shark(BestKnown):
    """`Standing.inherited` is the inherited score."""

    def standings(self, page: PageDone) -> Sequence[Standing]:
        if page.is_redirect:
            return [page.standing] * page.links
        inherited = DECAY * (page.relevance or page.standing.inherited)
        if not page.worths:
            return [Standing(INHERITED * inherited, inherited)] * page.links
        return [Standing(INHERITED * inherited + (1 - INHERITED) * worth, inherited) for worth in page.worths]
