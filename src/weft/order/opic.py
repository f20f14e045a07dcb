"""On-line page importance (Abiteboul, Preda and Cobena, 2003): pages pass their cash on to the pages they link to.

Every seed begins with one unit. A page that was visited gives what it has to its links, in equal parts, and a little
more, as if it had got that from a page to which everybody links; the URL that has most comes next. It needs no graph
and no second look: what counts is added up as the crawl goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from weft.order.order import PageDone
from weft.order.scores import Summed
from weft.types import Standing

# Of a seed's. Without it pages far from the seeds have nothing to give, however many link to them.
FROM_NOWHERE: Final = 0.005


class Opic(Summed):
    """A URL's score is its cash."""

    def standings(self, page: PageDone) -> Sequence[Standing]:
        return [Standing((page.standing.score + FROM_NOWHERE) / page.links)] * page.links if page.links else ()
