"""The links of a page, by its tree or by a scan of its text: the same ones, in the same order.

                          by its tree (tree.py)   by scan (scan.py)
    refreshes, first      meta elements           meta elements            refresh.py
    a, img, link …        document.links()        page.take_links()        link_kinds.py
    then what these omit:
    style                 style elements and attributes                    css.py
    data-src …            attributes for lazy loading                      lazy.py
    JSON-LD               script elements                                  json_ld.py
    srcdoc                a page in a page, read in the same ways
    scripts, templates    what a script loads, or may clone                page_scripts.py

In a tree, what an ordinary page does not have costs it next to nothing: a selector of one element name is an index
look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
from turbohtml import Document, Element

from weft.parse.css import STYLE, css_urls
from weft.parse.json_ld import json_ld_links
from weft.parse.lazy import lazy_links, urls_in
from weft.parse.link_kinds import PLACES, LinkPlace, is_nofollow, needed_first, rarer_place
from weft.parse.page_facts import FactTaker
from weft.parse.page_scripts import IN_TEMPLATE, data_links, links_by_scripts, templates_in
from weft.parse.parsed_page import LinkList
from weft.parse.refresh import REFRESH
from weft.parse.said import Said, note, note_element
from weft.parse.scan import (
    ScanPage,
    Skipped,
    scan_page,
    scanned_lazies,
    scanned_styles,
    take_scanned_links,
    title_of_scan,
)
from weft.parse.tree import base_href, metas_of, read_metas, title_of, tree_of
from weft.types import Kind
from weft.url import LinkResolver

if TYPE_CHECKING:
    from weft.parse._scan import Page

_NOFOLLOW = ('a[rel~="nofollow" i]', 'area[rel~="nofollow" i]')
_NAMESPACES = "http://www.w3.org/"
_MAYBE_STYLED = 'style, [style*="image-set"]'
_JSON_LD = 'script[type="application/ld+json" i]'
# Each level of srcdoc is escaped once more, so honest ones have one; and a tree takes its time, however small it is.
MAX_SRCDOC_DEPTH = 3
MAX_SRCDOCS = 200


class PageHead(msgspec.Struct, frozen=True, gc=False):
    """What a page says about itself, and what resolves its links."""

    title: str
    named: list[tuple[str, str]]  # name and content of its meta elements
    resolver: LinkResolver


class PageLinks(LinkList):
    """The links of a page and of the pages within it; without `embeds`, only those that lead to pages.

    A URL that is there twice is a link, or with `needs_first` what the page needs. With `notes`, what links say, and
    what the page says of itself, is taken in, too. Of those that are `skipped`, a scan takes in none.
    """

    __slots__ = ("_charset", "_embeds", "_scan", "_skipped", "_srcdocs_left", "fact_taker", "needs_first", "said")

    def __init__(
        self,
        charset: str,
        embeds: bool = True,
        scan: ScanPage = scan_page,
        *,
        needs_first: bool = False,
        notes: bool = False,
        skipped: Skipped | None = None,
    ) -> None:
        LinkList.__init__(self)  # `super` takes as long as all that is done here
        self._skipped = skipped
        self.said: Said | None = {} if notes else None
        self.fact_taker = FactTaker() if notes else None
        self._charset = charset
        self._embeds = embeds
        self._scan = scan
        self._srcdocs_left = MAX_SRCDOCS
        self.needs_first = needs_first

    def take(self, url: str | None, place: LinkPlace) -> None:
        """Take in a link for which the author vouches; None is a broken one."""
        if self.needs_first:
            place = needed_first(place)
        known = self.places.get(url) if url is not None else None
        super().take(url, place)
        if self.said is not None and url is not None and place.kind is not Kind.GUESS:
            note(self.said, url, place, wins=known is not None and place.rank < known.rank)

    def read(self, text: str, resolver: LinkResolver, more_refreshes: Sequence[str] = (), depth: int = 0) -> PageHead:
        """Take in all links of a page; `depth` is that of the page within others."""
        page = self._scan(text, self._embeds, self.said is not None)
        if page is None:
            head = self._read_tree(tree_of(text), resolver, more_refreshes, depth)
        else:
            if self.fact_taker is not None and depth == 0:
                self.fact_taker.take_scan(page)
            head = self._read_scan(page, resolver, more_refreshes, depth)
        if self._embeds:
            if "data-" in text:
                self._take_all_urls(data_links(text, head.resolver))
            if page is None or page.has_script:
                self._take_all_urls(links_by_scripts(text, head.resolver))
            if depth < MAX_SRCDOC_DEPTH and (page is None or page.has_template):
                self._read_templates(text, head.resolver, depth + 1)
        return head

    def _read_tree(
        self, document: Document, resolver: LinkResolver, more_refreshes: Sequence[str], depth: int
    ) -> PageHead:
        if self.fact_taker is not None and depth == 0:
            self.fact_taker.take_tree(document)
        resolver = self.based(base_href(document), resolver)
        named, refreshes = read_metas(metas_of(document))
        self.take_refreshes((*refreshes, *more_refreshes), resolver)
        styled = _take_links(document, resolver, self, self._embeds)
        if self._embeds:
            for element in document.select(_MAYBE_STYLED):
                styled.setdefault(element, [])  # turbohtml may not have seen what is there
            pieces = ((_css_of(element), hrefs) for element, hrefs in styled.items())
            self._take_styles(pieces, resolver)
        self._take_all(lazy_links(document, self._embeds), resolver)
        self._take_json_ld((element.text for element in document.select(_JSON_LD)), resolver)
        if depth < MAX_SRCDOC_DEPTH:
            srcdocs = (element.attr("srcdoc") or "" for element in document.select("iframe[srcdoc]"))
            self._read_srcdocs(srcdocs, resolver, depth + 1)
        return PageHead(title_of(document), named, resolver)

    def _read_scan(self, page: Page, resolver: LinkResolver, more_refreshes: Sequence[str], depth: int) -> PageHead:
        if page.base is not None:
            resolver = self.based(page.base, resolver)
        named, refreshes = read_metas(page.metas) if page.metas else ([], [])
        if refreshes or more_refreshes:
            self.take_refreshes((*refreshes, *more_refreshes), resolver)
        self.take_scanned(page, resolver, depth)
        return PageHead(title_of_scan(page), named, resolver)

    def begin_part(self) -> None:
        """Forget the links so far: whoever reads a page in parts has them."""
        self.places = {}
        self.vouched = None

    def said_but(self, own_url: str) -> Said | None:
        """What is said of all URLs but the page's own."""
        if self.said is not None:
            self.said.pop(own_url, None)
        return self.said

    def take_scanned(self, page: Page, resolver: LinkResolver, depth: int = 0) -> None:
        """Take in the links that a scan found, but for those of its meta elements."""
        if page.has_nofollow:
            self._begin_vouching()
        take_scanned_links(
            page, self.places, self.vouched, resolver,
            needs_first=self.needs_first, said=self.said, skipped=self._skipped,
        )  # fmt: skip
        if page.styles:
            self._take_styles(scanned_styles(page), resolver)
        if page.lazies:
            lazies = scanned_lazies(page)
            self._take_all(((href, place) for name, value, place in lazies for href in urls_in(name, value)), resolver)
        if page.scripts:
            self._take_json_ld(page.scripts, resolver)
        if page.srcdocs and depth < MAX_SRCDOC_DEPTH:
            self._read_srcdocs(page.srcdocs, resolver, depth + 1)

    def take_refreshes(self, hrefs: Iterable[str], resolver: LinkResolver) -> None:
        """Take in where a page sends the browser."""
        self._take_all(((href, REFRESH) for href in hrefs), resolver)

    def based(self, base: str | None, resolver: LinkResolver) -> LinkResolver:
        """What resolves the links of a page: `resolver`, unless a base element says otherwise."""
        url = None if base is None else resolver.resolve(base)
        return LinkResolver(url, self._charset) if url else resolver

    def _take_all(self, links: Iterable[tuple[str, LinkPlace]], resolver: LinkResolver) -> None:
        for href, place in links:
            self.take(resolver.resolve(href), place)

    def _take_styles(self, pieces: Iterable[tuple[str, list[str]]], resolver: LinkResolver) -> None:
        for css, hrefs in pieces:
            for href in _css_urls_of(css, hrefs):
                self.take(resolver.resolve(href), STYLE)

    def _take_json_ld(self, texts: Iterable[str], resolver: LinkResolver) -> None:
        for text in texts:
            found = json_ld_links(text)
            self._take_all((link for link in found if self._embeds or link[1].kind is not Kind.EMBED), resolver)

    def _read_srcdocs(self, texts: Iterable[str], resolver: LinkResolver, depth: int) -> None:
        for text in texts:
            if not self._srcdocs_left:
                return
            self._srcdocs_left -= 1
            self.read(text, resolver, (), depth)

    def _take_all_urls(self, links: Iterable[tuple[str | None, LinkPlace]]) -> None:
        for url, place in links:
            self.take(url, place)

    def _read_templates(self, text: str, resolver: LinkResolver, depth: int) -> None:
        """Take in what scripts may clone."""
        for template in templates_in(text):
            if not self._srcdocs_left:
                return
            self._srcdocs_left -= 1
            inner = PageLinks(self._charset, True, self._scan, needs_first=self.needs_first)
            inner.read(template, resolver, (), depth)
            for url, place in inner.places.items():
                is_blank = "{" in url or "%7B" in url  # a script puts something there
                if is_blank or place.kind is Kind.REFRESH:
                    continue
                place = place if place.kind is Kind.EMBED else IN_TEMPLATE
                if inner.vouched is None or url in inner.vouched:
                    self.take(url, place)
                else:
                    self._take_nofollow(url, place)

    def _take_nofollow(self, url: str, place: LinkPlace) -> None:
        """Take in a link for which the author does not vouch."""
        vouched = self._begin_vouching()
        is_vouched = url in vouched
        self.take(url, place)
        if not is_vouched:
            vouched.discard(url)

    def _begin_vouching(self) -> set[str]:
        """A link is nofollow: from now on, count those that are not."""
        if self.vouched is None:
            self.vouched = set(self.places)
        return self.vouched


def _take_links(document: Document, resolver: LinkResolver, links: PageLinks, embeds: bool) -> dict[Element, list[str]]:
    """Take in what turbohtml finds, but give back what it finds in CSS, by element.

    This is the hot path of reading a tree, therefore `LinkList.take` is written out.
    """
    if links.vouched is None and any(document.select_one(selector) is not None for selector in _NOFOLLOW):
        links.vouched = set(links.places)
    places = links.places
    vouched = links.vouched
    needs_first = links.needs_first
    said = links.said
    styled: dict[Element, list[str]] = {}
    urls: dict[str, str | None] = {}  # a page repeats its links: each is resolved once
    for element, attribute, href in document.links():
        place = PLACES.get((element.tag, attribute)) or rarer_place(element, attribute)
        if place is None:
            if attribute is None or attribute == "style":
                styled.setdefault(element, []).append(href)
            continue
        if place.kind is Kind.EMBED and not embeds:
            continue
        if needs_first:
            place = needed_first(place)
        if "#" in href:
            href = _without_fragment(href)
        if href in urls:
            url = urls[href]
        elif not href and place.kind is Kind.EMBED:
            continue  # <use href="#icon">: a part of this document, whatever its base
        else:
            url = urls[href] = resolver.resolve(href)
        if url is None:
            continue
        known = places.get(url)
        if said is not None:
            note_element(said, url, place, element, wins=known is not None and place.rank < known.rank)
        if known is not place and (known is None or place.rank < known.rank):
            places[url] = place
        if vouched is not None and not is_nofollow(element):
            vouched.add(url)
    return styled


def _without_fragment(href: str) -> str:
    """A space in front of the # belongs to the URL; without the #, it would be one at the end, which does not."""
    at = href.index("#")
    return href[: at + 1] if at and href[at - 1] <= " " else href[:at]


def _css_of(element: Element) -> str:
    return element.text if element.tag == "style" else element.attr("style") or ""


def _css_urls_of(css: str, hrefs: list[str]) -> Iterable[str]:
    """The URLs in a piece of CSS, where turbohtml found `hrefs`.

    It is right about most, and much faster than css.py, which has the last word where it may be wrong.
    """
    is_odd = (
        "image-set" in css
        or ("\\" in css and ('\\"' in css or "\\'" in css))  # a quote that begins no string
        or any("\\" in href or href.startswith(_NAMESPACES) for href in hrefs)
    )
    return css_urls(css) if is_odd else (href for href in hrefs if href and not href.startswith("#"))
