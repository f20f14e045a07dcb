"""All links of a page, for orders that count them and for the graph."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from itertools import islice
from typing import Final

from weft.graph.rows import edges_of
from weft.page.leads import Leads
from weft.types import Outlinks
from weft.url import url_id

MOST_OUTLINKS: Final = 100_000  # of a page: honest ones have some thousand; the first ones count


class OutlinkTaker:
    """Puts them into the form in which they travel."""

    def __init__(self, *, ids: bool, edges: bool) -> None:
        self._ids = ids
        self._edges = edges

    def of(self, urls: Collection[str], leads: Leads) -> Outlinks:
        """Of these links of a response."""
        ids = b"".join(map(url_id, islice(urls, MOST_OUTLINKS)))
        worths = b""
        if leads.worths:
            worths = array("f", (leads.worths.get(url, 0.0) for url in islice(urls, MOST_OUTLINKS))).tobytes()
        return Outlinks(ids if self._ids else b"", edges_of(ids) if self._edges else b"", leads.relevance, worths)
