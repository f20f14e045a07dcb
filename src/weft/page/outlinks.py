"""All links of a page, for orders that count them, for the graph, and for who mends a site."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from weft.filter.sieve import Told
from weft.graph.rows import NODE_BYTES, edges_of
from weft.page.leads import Leads
from weft.page.link_marks import IN_GRAPH
from weft.parse.said import MOST_SAID, Place, Said
from weft.types import Kind, Outlinks, OutsideLink, PageFacts, PageLinks
from weft.url import ID_BYTES, url_id

MOST_OUTLINKS: Final = MOST_SAID  # of a page: honest ones have some thousand; the first ones count
MOST_OUTSIDE: Final = 10_000

_encode = msgspec.msgpack.Encoder().encode
_UNSAID: Final = "\0"


class OutlinkTaker:
    """Puts them into the form in which they travel."""

    def __init__(self, *, ids: bool, edges: bool, links: bool = False) -> None:
        self._ids = ids
        self._edges = edges
        self._links = links

    def of(self, told: Told, leads: Leads, kind: Kind) -> Outlinks:
        """Of these links of a response to a link of this kind."""
        urls = told.urls
        ids = b"".join(map(url_id, islice(urls, MOST_OUTLINKS)))
        worths = b""
        if leads.worths:
            worths = array("f", (leads.worths.get(url, 0.0) for url in islice(urls, MOST_OUTLINKS))).tobytes()
        edges = edges_of(ids) if self._edges else b""
        about = _encode(_page_links(ids, told, leads, kind)) if self._links else b""
        return Outlinks(ids if self._ids else b"", edges, leads.relevance, worths, about)


def _page_links(ids: bytes, told: Told, leads: Leads, kind: Kind) -> PageLinks:
    said = _said_without_page(leads, kind) if leads.said is None else leads.said
    nodes = [ids[at : at + NODE_BYTES] for at in range(0, len(ids), ID_BYTES)]
    noted = dict(zip(nodes, map(said.get, told.urls.values()), strict=False))
    in_order = [noted[node] or _UNSAID for node in sorted(noted)]
    return PageLinks(
        "".join([one[0] for one in in_order]).encode("latin-1"),
        "\n".join([one[1:] for one in in_order]),
        list(islice(_outside(said, told), MOST_OUTSIDE)),
        leads.facts or PageFacts(),
    )


def _said_without_page(leads: Leads, kind: Kind) -> Said:
    """Of a redirect, a sitemap, a feed, a style sheet: where their links stand is all that there is to say."""
    if leads.redirects:
        return {url: chr(Place.REDIRECT) for url, _, _ in leads.urls}
    if kind is Kind.SITEMAP:
        return {url: chr(Place.SITEMAP) for url, _, _ in leads.urls}
    return {url: chr(Place.EMBED if kind is Kind.EMBED else Place.OTHER) for url, kind, _ in leads.urls}


def _outside(said: Said, told: Told) -> Iterator[OutsideLink]:
    """Links of which no other row tells the URL, in the order of the page; then those that are too deep."""
    passed = set(told.urls.values())
    for url, one in said.items():
        if url not in passed:
            yield OutsideLink(url, ord(one[0]), one[1:])
    for url in told.too_deep:
        one = said.get(told.urls[url], _UNSAID)
        yield OutsideLink(url, ord(one[0]) | IN_GRAPH, one[1:])
