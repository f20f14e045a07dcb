"""All links of a page, for orders that count them, for the graph, and for who fixes a site."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

import msgspec

from weft.filter.sieve import Told
from weft.graph.rows import NODE_BYTES, packed
from weft.page.leads import Leads
from weft.page.link_marks import IN_GRAPH
from weft.parse.said import MOST_SAID, Place, Said
from weft.types import Kind, LinkNotes, Outlinks, OutsideLink, PageFacts
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

    def of(self, followed: Iterable[str], told: Told, leads: Leads, kind: Kind) -> Outlinks:
        """Of a response to a link of this kind, whose links that the sieve heard of are these."""
        urls = told.passed(followed)[:MOST_OUTLINKS]
        ids = b"".join(map(url_id, urls)) if self._ids else b""
        worths = b""
        if leads.worths:
            worths = array("f", (leads.worths.get(url, 0.0) for url in urls)).tobytes()
        edges = about = b""
        if self._links:
            edges, about = self._about(urls, told, leads, kind)
        elif self._edges:
            edges = packed(self._nodes.of(urls))[0]
        return Outlinks(ids, edges, leads.relevance, worths, about)

    def _about(self, urls: list[str], told: Told, leads: Leads, kind: Kind) -> tuple[bytes, bytes]:
        said = _said_without_page(leads, kind) if leads.said is None else leads.said
        if told.settled:
            said = {told.settled.get(url, url): one for url, one in reversed(said.items())}  # the first counts
        edges, marks, anchors = packed(self._nodes.of(urls), list(map(said.get, urls)))
        outside: list[OutsideLink] = []
        if told.too_deep or len(said) > len(urls):
            outside = list(islice(_outside(said, urls, told.too_deep), MOST_OUTSIDE))
        return edges, _encode(LinkNotes(marks, anchors, outside, leads.facts or PageFacts()))


class _Nodes(dict[str, bytes]):
    """The nodes of URLs, those seen lately from memory: a page's menu is on every page."""

    def of(self, urls: list[str]) -> list[bytes]:
        """The nodes of a page's links."""
        if len(self) > REMEMBERED_NODES:
            self.clear()
        return list(map(self.__getitem__, urls))

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
    return {
        url: chr(Place.EMBED if kind is Kind.EMBED else Place.OTHER)
        for url, kind, _ in leads.urls
        if kind is not Kind.GUESS
    }


def _outside(said: Said, passed: list[str], too_deep: list[str]) -> Iterator[OutsideLink]:
    """Links of which no other row tells the URL, in the order of the page; then those that are too deep."""
    missing = said.keys() - passed
    for url in filter(missing.__contains__, said):
        one = said[url]
        yield OutsideLink(url, ord(one[0]), one[1:])
    for url in too_deep:
        one = said.get(url, _UNSAID)
        yield OutsideLink(url, ord(one[0]) | IN_GRAPH, one[1:])
