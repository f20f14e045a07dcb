"""One HTML page: its title, its base, what it asks of crawlers, and its links."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec
import turbohtml
from turbohtml import Document, Namespace

from weft.parse.charset import decode
from weft.parse.link_kinds import PLACES, REFRESH, Found, Place, is_nofollow, rarer_place
from weft.parse.robots_directives import robots_directives
from weft.url import Resolver

MAX_TITLE_CHARS = 1_000

# What a script may one day put into the page; until then its links are placeholders. A shadow root is shown.
_INERT = "template:not([shadowrootmode])"
_NOFOLLOW = ('a[rel~="nofollow" i]', 'area[rel~="nofollow" i]')
_REFRESH_CONTENT = re.compile(r"\s*[0-9.]+(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(?:'([^']*)|\"([^\"]*)|(.*))", re.I | re.S)


class ParsedPage(msgspec.Struct, frozen=True):
    """What was found on a page."""

    title: str
    charset: str
    base: str  # what its links are relative to: its URL, unless a base element says otherwise
    links: list[Found]  # each URL once, in the order of the page, without the page's own
    nofollow: bool  # no link of the page is to be followed
    noindex: bool
    noarchive: bool


def parse_html(
    body: bytes,
    url: str,
    content_type: str | None = None,
    headers: Iterable[tuple[bytes, bytes]] = (),
    agent: str = "weft",
) -> ParsedPage:
    """Parse a page that was fetched from `url`; `headers` are those of its response, names in lower case.

    Never raises because of what the page holds.
    """
    text, charset = decode(body, content_type)
    # Shadow roots as plain templates: turbohtml's links() does not look into real ones.
    document = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
    if document.select_one("template") is not None:
        document.remove(_INERT)
    resolver = Resolver(url, charset)
    base = _base(document, resolver) or url
    if base != url:
        resolver = Resolver(base, charset)
    named, refreshes = _read_meta(document)
    asked = robots_directives(headers, named, agent)
    links = _find_links(document, resolver, url, refreshes)
    return ParsedPage(_title(document), charset, base, links, asked.nofollow, asked.noindex, asked.noarchive)


def _title(document: Document) -> str:
    for element in document.select("title"):
        if element.namespace is Namespace.HTML:  # SVG has titles too
            return " ".join(element.text.split())[:MAX_TITLE_CHARS]
    return ""


def _base(document: Document, resolver: Resolver) -> str | None:
    """The base URL that a browser would take: the first base with an href counts, even if it is of no use."""
    for element in document.select("base[href]"):
        if element.namespace is Namespace.HTML and element.closest("template") is None:
            return resolver.resolve(element.attr("href") or "")
    return None


def _read_meta(document: Document) -> tuple[list[tuple[str, str]], list[str]]:
    """The (name, content) pairs of the meta elements, and where they send the browser."""
    named: list[tuple[str, str]] = []
    refreshes: list[str] = []
    for element in document.select("meta[content]"):
        content = element.attr("content") or ""
        if name := element.attr("name"):
            named.append((name, content))
        elif (element.attr("http-equiv") or "").lower() == "refresh":
            found = _REFRESH_CONTENT.match(content)
            if found and found.lastindex:
                refreshes.append(found[found.lastindex])
    return named, refreshes


def _find_links(document: Document, resolver: Resolver, own_url: str, refreshes: list[str]) -> list[Found]:
    """Every URL once, at its first place on the page, of the strongest kind it has anywhere on it."""
    places: dict[str, Place] = {}
    for href in refreshes:
        if url := resolver.resolve(href):
            places[url] = REFRESH
    has_nofollow = any(document.select_one(selector) is not None for selector in _NOFOLLOW)
    vouched = set(places) if has_nofollow else None
    urls: dict[str, str | None] = {}  # a page repeats its links: each is resolved once
    for element, attribute, href in document.links():
        place = PLACES.get((element.tag, attribute)) or rarer_place(element, attribute)
        if place is None:
            continue
        if "#" in href:
            href = href[: href.index("#")]
        if href in urls:
            url = urls[href]
        else:
            url = urls[href] = resolver.resolve(href)
        if url is None:
            continue
        known = places.get(url)
        if known is not place and (known is None or place.rank < known.rank):
            places[url] = place
        if vouched is not None and not is_nofollow(element):
            vouched.add(url)
    places.pop(own_url, None)
    return [
        Found(url, place.kind, vouched is not None and url not in vouched, place.context)
        for url, place in places.items()
    ]
