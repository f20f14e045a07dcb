"""All links of a page, for orders that count them, for the graph, and for who mends a site."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from weft.filter.sieve import Told
from weft.graph.rows import NODE_BYTES, packed
from weft.page.leads import Leads
from weft.page.link_marks import IN_GRAPH
from weft.parse.said import MOST_SAID, Place, Said
from weft.types import Kind, Outlinks, OutsideLink, PageFacts, PageLinks
from weft.url import url_id

MOST_OUTLINKS: Final = MOST_SAID  # of a page: honest ones have some thousand; the first ones count
MOST_OUTSIDE: Final = 10_000
REMEMBERED_NODES: Final = 20_000

_encode = msgspec.msgpack.Encoder().encode
_UNSAID: Final = "\0"


class OutlinkTaker:
    """Puts them into the form in which they travel."""

    def __init__(self, *, ids: bool, edges: bool, links: bool = False) -> None:
        self._ids = ids
        self._edges = edges
        self._links = links
        self._nodes = _Nodes()

    def of(self, told: Told, leads: Leads, kind: Kind) -> Outlinks:
        """Of these links of a response to a link of this kind."""
        urls = told.urls
        ids = b"".join(map(url_id, islice(urls, MOST_OUTLINKS))) if self._ids else b""
        worths = b""
        if leads.worths:
            worths = array("f", (leads.worths.get(url, 0.0) for url in islice(urls, MOST_OUTLINKS))).tobytes()
        edges = about = b""
        if self._links:
            edges, about = self._about(told, leads, kind)
        elif self._edges:
            edges = packed(self._nodes.of(urls))[0]
        return Outlinks(ids, edges, leads.relevance, worths, about)

    def _about(self, told: Told, leads: Leads, kind: Kind) -> tuple[bytes, bytes]:
        said = _said_without_page(leads, kind) if leads.said is None else leads.said
        nodes = self._nodes.of(told.urls)
        edges, marks, anchors = packed(nodes, list(map(said.get, islice(told.urls.values(), len(nodes)))))
        outside = list(islice(_outside(said, told), MOST_OUTSIDE))
        return edges, _encode(PageLinks(marks, anchors, outside, leads.facts or PageFacts()))


class _Nodes(dict[str, bytes]):
    """The nodes of URLs, those seen lately from memory: a page's menu is on every page."""

    def of(self, urls: dict[str, str]) -> list[bytes]:
        """The nodes of a page's links."""
        if len(self) > REMEMBERED_NODES:
            self.clear()
        return list(map(self.__getitem__, islice(urls, MOST_OUTLINKS)))

    def __missing__(self, url: str) -> bytes:
        node = url_id(url)[:NODE_BYTES]
        if len(self) <= REMEMBERED_NODES:
            self[url] = node
        return node


def _said_without_page(leads: Leads, kind: Kind) -> Said:
    """Of a redirect, a sitemap, a feed, a style sheet: where their links stand is all that there is to say."""
    if leads.redirects:
        return {url: chr(Place.REDIRECT) for url, _, _ in leads.urls}
    if kind is Kind.SITEMAP:
        return {url: chr(Place.SITEMAP) for url, _, _ in leads.urls}
    return {url: chr(Place.EMBED if kind is Kind.EMBED else Place.OTHER) for url, kind, _ in leads.urls}


def _outside(said: Said, told: Told) -> Iterator[OutsideLink]:
    """Links of which no other row tells the URL, in the order of the page; then those that are too deep."""
    if missing := said.keys() - told.urls.keys():
        missing.difference_update(told.urls.values())  # those that are asked for by another URL
        for url in filter(missing.__contains__, said):
            one = said[url]
            yield OutsideLink(url, ord(one[0]), one[1:])
    for url in told.too_deep:
        one = said.get(told.urls[url], _UNSAID)
        yield OutsideLink(url, ord(one[0]) | IN_GRAPH, one[1:])
