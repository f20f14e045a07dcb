"""Best-first search: links of relevant pages, and links that speak of the topic, come first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft.order.order import PageDone
from weft.order.scores import BestKnown
from weft.types import Standing

OF_PAGE: Final = 0.5  # the page's share in the score of its links; the rest is what is said in and around them


class BestFirst(BestKnown):
    """A link's score is made from the page that it is on."""

    def standings(self, page: PageDone) -> Sequence[Standing]:
        if page.is_redirect:
            return [page.standing] * page.links
        of_page = OF_PAGE * page.relevance
        if not page.worths:
            return [Standing(of_page)] * page.links
        return [Standing(of_page + (1 - OF_PAGE) * worth) for worth in page.worths]
