"""The links of a page's tree.

    document.links()      a, img, link … in the order of the page        link_kinds.py
    then what it omits    refreshes, before all others                   refresh.py
                          style elements and attributes                  css.py
                          data-src and its like                          lazy.py
                          JSON-LD                                        json_ld.py
                          iframe srcdoc: a page in a page                tree.py

What an ordinary page does not have costs it next to nothing: a selector of one element name is an index look-up.
"""

from __future__ import annotations

from collections.abc import Iterable

from turbohtml import Document, Element

from weft.parse.css import STYLE, css_urls
from weft.parse.json_ld import json_ld_links
from weft.parse.lazy import lazy_links
from weft.parse.link_kinds import PLACES, is_nofollow, rarer_place
from weft.parse.parsed_page import LinkList
from weft.parse.refresh import REFRESH
from weft.parse.tree import read_meta, resolver_of, tree_of
from weft.types import Kind
from weft.url import Resolver

_NOFOLLOW = ('a[rel~="nofollow" i]', 'area[rel~="nofollow" i]')
_NAMESPACES = "http://www.w3.org/"
_JSON_LD = 'script[type="application/ld+json" i]'
# Each level of srcdoc is escaped once more, so honest ones have one; and a tree takes its time, however small it is.
MAX_SRCDOC_DEPTH = 3
MAX_SRCDOCS = 200


class PageLinks(LinkList):
    """The links of a page and of the pages within it."""

    __slots__ = ("_charset", "_srcdocs_left")

    def __init__(self, charset: str) -> None:
        super().__init__()
        self._charset = charset
        self._srcdocs_left = MAX_SRCDOCS

    def read(self, document: Document, resolver: Resolver, refreshes: list[str], depth: int = 0) -> None:
        """Take in all links of a tree; `depth` is that of the page within others."""
        for href in refreshes:
            self.take(resolver.resolve(href), REFRESH)
        styled = _take_links(document, resolver, self)
        for element in document.select("style"):
            styled.setdefault(element, [])  # turbohtml may not have seen what is there
        for element, hrefs in styled.items():
            for href in _css_urls_of(element, hrefs):
                self.take(resolver.resolve(href), STYLE)
        for href, place in lazy_links(document):
            self.take(resolver.resolve(href), place)
        for element in document.select(_JSON_LD):
            for href, place in json_ld_links(element.text):
                self.take(resolver.resolve(href), place)
        if depth < MAX_SRCDOC_DEPTH:
            for element in document.select("iframe[srcdoc]"):
                self._read_srcdoc(element.attr("srcdoc") or "", resolver, depth + 1)

    def _read_srcdoc(self, text: str, resolver: Resolver, depth: int) -> None:
        if not self._srcdocs_left:
            return
        self._srcdocs_left -= 1
        document = tree_of(text)
        refreshes = read_meta(document)[1]
        self.read(document, resolver_of(document, resolver, self._charset), refreshes, depth)


def _take_links(document: Document, resolver: Resolver, links: LinkList) -> dict[Element, list[str]]:
    """Take in what turbohtml finds, but give back what it finds in CSS, by element.

    This is the hot path of parsing, therefore `LinkList.take` is written out.
    """
    if links.vouched is None and any(document.select_one(selector) is not None for selector in _NOFOLLOW):
        links.vouched = set(links.places)
    places = links.places
    vouched = links.vouched
    styled: dict[Element, list[str]] = {}
    urls: dict[str, str | None] = {}  # a page repeats its links: each is resolved once
    for element, attribute, href in document.links():
        place = PLACES.get((element.tag, attribute)) or rarer_place(element, attribute)
        if place is None:
            if attribute is None or attribute == "style":
                styled.setdefault(element, []).append(href)
            continue
        if "#" in href:
            href = href[: href.index("#")]
        if href in urls:
            url = urls[href]
        elif not href and place.kind is Kind.EMBED:
            continue  # <use href="#icon">: a part of this document, whatever its base
        else:
            url = urls[href] = resolver.resolve(href)
        if url is None:
            continue
        known = places.get(url)
        if known is not place and (known is None or place.rank < known.rank):
            places[url] = place
        if vouched is not None and not is_nofollow(element):
            vouched.add(url)
    return styled


def _css_urls_of(element: Element, hrefs: list[str]) -> Iterable[str]:
    """The URLs in the CSS of an element, where turbohtml found `hrefs`.

    It is right about most, and much faster than css.py, which has the last word where it may be wrong.
    """
    css = element.text if element.tag == "style" else element.attr("style") or ""
    is_odd = (
        "image-set" in css
        or ("\\" in css and ('\\"' in css or "\\'" in css))  # a quote that begins no string
        or any("\\" in href or href.startswith(_NAMESPACES) for href in hrefs)
    )
    return css_urls(css) if is_odd else (href for href in hrefs if href and not href.startswith("#"))
