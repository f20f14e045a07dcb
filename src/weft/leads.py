"""Where a response leads: step 7 of a page's way, for each kind of response.

a redirect      to one URL, at no cost of depth; where a seed leads, the crawl follows
a sitemap       to the pages it names, one step away, and to other sitemaps
a page          to its links, one step away, unless it asks not to be followed; so does a drawing (SVG)
a feed          to the pages of its entries, one step away
a style sheet   to what it needs, one step away; it is read only in a crawl that fetches such things
a manifest      to the icons of a web app, likewise
"""

from __future__ import annotations

import msgspec

from weft.config import CrawlConfig, product_token
from weft.fetch import Flaw, decode_response
from weft.large_pages import LARGE_BYTES, LargePage, is_readable
from weft.parse import PARSERS, Medium, ParsedPage, may_lead, media_type, medium_of, parse_html, parse_sitemap
from weft.parse.media import FIRST_BYTES
from weft.parse.sitemap import MAX_SITEMAP_BYTES
from weft.types import Fetched, Kind, Link
from weft.url import Resolver

MIB = 1024 * 1024
# A larger page is stored, not parsed; nor is one of too many elements (large_pages.py).
MAX_HTML_BYTES = 10 * MIB
_ONLY_EMBEDS = (Medium.STYLE_SHEET, Medium.MANIFEST)
REDIRECTS = frozenset((301, 302, 303, 307, 308))


class Leads(msgspec.Struct, frozen=True):
    """What was read from a response."""

    urls: list[tuple[str, Kind, int]] = []  # URL, kind, depth
    redirects: int = 0  # in a row, up to those URLs
    mime: str = ""
    charset: str = ""
    title: str = ""
    noindex: bool = False
    is_costly: bool = False  # the body took work and yielded nothing


class Reader:
    """Reads responses for one crawl."""

    def __init__(self, config: CrawlConfig) -> None:
        self._config = config
        self._agent = product_token(config)

    def leads_of(self, link: Link, fetched: Fetched, *, may_be_large: bool = True) -> Leads:
        """Where the response to this link leads. LargePage if it turns out to be one and must not."""
        content_type = _header(fetched, b"content-type")
        mime = media_type(content_type)
        if fetched.status in REDIRECTS and (location := _header(fetched, b"location")) is not None:
            return _redirect(link, location, mime)
        if link.kind is Kind.SITEMAP:
            return _sitemap(link, fetched, content_type, may_be_large)
        if not 0 < fetched.body_bytes <= MAX_HTML_BYTES or not may_lead(content_type):
            return Leads(mime=mime)
        body, flaw = decode_response(fetched, MAX_HTML_BYTES)
        page = self._parse(body, fetched, content_type, may_be_large)
        if page is None:
            return Leads(mime=mime, is_costly=flaw is Flaw.COSTLY)
        urls = self._needed(page, link.depth + 1) if page.nofollow else self._followed(page, link.depth + 1)
        return Leads(urls, 0, mime, page.charset, page.title, page.noindex, flaw is Flaw.COSTLY)

    def _parse(self, body: bytes, fetched: Fetched, content_type: str | None, may_be_large: bool) -> ParsedPage | None:
        medium = medium_of(content_type, body[:FIRST_BYTES])
        if medium is None or (medium in _ONLY_EMBEDS and not self._config.requisites):
            return None
        if not is_readable(body):
            return None
        _assert_may_be_read(body, may_be_large)
        if medium is Medium.PAGE:
            return parse_html(
                body,
                fetched.url,
                content_type,
                fetched.headers,
                self._agent,
                embeds=self._config.requisites,
                needs_first=self._config.mirror,  # a picture of another host that is both shown and linked to
            )
        return PARSERS[medium](body, fetched.url, content_type, fetched.headers, self._agent)

    def _needed(self, page: ParsedPage, depth: int) -> list[tuple[str, Kind, int]]:
        """Of a page that asks not to be followed: a mirror wants it to look right all the same."""
        return [lead for lead in self._followed(page, depth) if lead[1] is Kind.EMBED] if self._config.mirror else []

    def _followed(self, page: ParsedPage, depth: int) -> list[tuple[str, Kind, int]]:
        return page.leads(depth, embeds=self._config.requisites, nofollow=not self._config.obey_rel_nofollow)


def _redirect(link: Link, location: str, mime: str) -> Leads:
    url = Resolver(link.url).resolve(location)
    if url is None:
        return Leads(mime=mime)
    kind = link.kind if link.kind in (Kind.SEED, Kind.SITEMAP) else Kind.REDIRECT
    return Leads([(url, kind, link.depth)], link.redirects + 1, mime)


def _sitemap(link: Link, fetched: Fetched, content_type: str | None, may_be_large: bool) -> Leads:
    body, flaw = decode_response(fetched, MAX_SITEMAP_BYTES)
    _assert_may_be_read(body, may_be_large)
    sitemap = parse_sitemap(body, fetched.url, content_type)
    pages = [(page.url, Kind.LINK, link.depth + 1) for page in sitemap.pages]
    others = [(url, Kind.SITEMAP, link.depth) for url in sitemap.sitemaps]
    return Leads(pages + others, mime=media_type(content_type), is_costly=flaw is Flaw.COSTLY)


def _assert_may_be_read(body: bytes, may_be_large: bool) -> None:
    if len(body) > LARGE_BYTES and not may_be_large:
        raise LargePage


def _header(fetched: Fetched, name: bytes) -> str | None:
    value = fetched.header(name)
    return None if value is None else value.decode("utf-8", "replace")
