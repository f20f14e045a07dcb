"""On-line page importance (Abiteboul, Preda and Cobena, 2003): pages pass their cash on to the pages they link to.

Every seed begins with one unit. A page that was visited gives what it has to its links, in equal parts; the URL that
has most comes next. It needs no graph and no second look: what counts is added up as the crawl goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.order.order import PageDone
from weft.order.scores import Summed
from weft.types import Standing


class Opic(Summed):
    """A URL's score is its cash."""

    def standings(self, page: PageDone) -> Sequence[Standing]:
        return [Standing(page.standing.score / page.links)] * page.links if page.links else ()
