"""The life of a page, top to bottom.

| # | step                     | takes → gives                 | runs in | written in       |
|---|--------------------------|-------------------------------|---------|------------------|
| 1 | canonicalize             | str → URL                     | worker  | url              |
| 2 | may it be scheduled?     | URL → FoundLink or Refusal    | worker  | filter           |
| 3 | is it new?               | FoundLink → NEW, NEARER, KNOWN | engine | seen             |
| 4 | queue it; await its turn | Link → Visit                  | engine  | frontier, order  |
| 5 | may it be fetched?       | Visit → Visit or Refusal      | engine  | robots, filter   |
| 6 | fetch                    | Visit → Fetched or FetchError | engine  | dns, fetch       |
| 7 | store                    | Fetched → Location            | worker  | store            |
| 8 | parse                    | Fetched → ParsedPage          | worker  | fetch, parse     |
| 9 | done: one commit         | Processed → rows; links to 3  | engine  | pipeline.ledger  |

The worker's share, 7, 8, 1 and 2, is below; the engine's, 3 to 6 and 9, is `pipeline.engine`.
"""

from __future__ import annotations

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig, product_token
from weft.fetch import decode_response
from weft.filter import LinkSieve, ScopeFilter, standard_chain
from weft.parse import Found, ParsedPage, is_html, may_be_html, media_type, parse_html, parse_sitemap
from weft.parse.sitemap import MAX_SITEMAP_BYTES
from weft.store import WarcWriter
from weft.types import Fetched, Kind, Link, Processed
from weft.url import Resolver

MIB = 1024 * 1024
# A tree takes about twenty times the page's size; a larger page is stored, not parsed.
MAX_HTML_BYTES = 10 * MIB
REDIRECTS = frozenset((301, 302, 303, 307, 308))


class PageProcessor:
    """A parse worker's share of the way."""

    def __init__(self, config: CrawlConfig, scope_seeds: list[str], archive: WarcWriter) -> None:
        self.archive = archive
        self._scope = ScopeFilter(config.scope, scope_seeds)
        self._sieve = LinkSieve(standard_chain(config, self._scope, Clock().wall()))
        self._config = config
        self._agent = product_token(config)

    def add_seed(self, url: str) -> None:
        """What belongs to this URL is in scope from now on."""
        self._scope.add_seed(url)

    def process(self, link: Link, fetched: Fetched, *, is_parsed: bool) -> Processed:
        """Archive a response and find where it leads."""
        location = self.archive.write(fetched)
        processed = self.find_links(link, fetched) if is_parsed else Processed()
        return msgspec.structs.replace(processed, location=location)

    def find_links(self, link: Link, fetched: Fetched) -> Processed:
        """The links of a response that the engine should hear of."""
        content_type = _header(fetched, b"content-type")
        mime = media_type(content_type)
        if fetched.status in REDIRECTS and (location := _header(fetched, b"location")) is not None:
            return self._follow_redirect(link, location, mime)
        if link.kind is Kind.SITEMAP:
            return self._follow_sitemap(link, fetched, content_type)
        page = _parse(fetched, content_type, self._agent)
        if page is None:
            return Processed(mime=mime)
        followed = () if page.nofollow else page.links
        urls = [(found.url, found.kind) for found in followed if self._is_followed(found)]
        links, refused = self._sieve.sift(link, urls, link.depth + 1)
        return Processed(links, None, mime, page.charset, page.title, page.noindex, refused)

    def _is_followed(self, found: Found) -> bool:
        if found.nofollow and self._config.obey_rel_nofollow:
            return False
        return found.kind is not Kind.EMBED or self._config.requisites

    def _follow_sitemap(self, link: Link, fetched: Fetched, content_type: str | None) -> Processed:
        """What a sitemap names is one step away from it; another sitemap costs no depth."""
        decoded = decode_response(fetched, MAX_SITEMAP_BYTES)
        sitemap = parse_sitemap(decoded.data, fetched.url, content_type)
        pages, refused = self._sieve.sift(link, [(page.url, Kind.LINK) for page in sitemap.pages], link.depth + 1)
        sitemaps, _ = self._sieve.sift(link, [(url, Kind.SITEMAP) for url in sitemap.sitemaps], link.depth)
        return Processed(pages + sitemaps, mime=media_type(content_type), refused=refused)

    def _follow_redirect(self, link: Link, location: str, mime: str) -> Processed:
        """A redirect costs no depth. Where a seed leads, the crawl follows: that becomes a seed itself."""
        url = Resolver(link.url).resolve(location)
        if url is None:
            return Processed(mime=mime)
        kind = link.kind if link.kind in (Kind.SEED, Kind.SITEMAP) else Kind.REDIRECT
        if kind is Kind.SEED:
            self.add_seed(url)
        links, refused = self._sieve.sift(link, [(url, kind)], link.depth, link.redirects + 1)
        return Processed(links, mime=mime, refused=refused)


def _parse(fetched: Fetched, content_type: str | None, agent: str) -> ParsedPage | None:
    if fetched.body_bytes > MAX_HTML_BYTES or not fetched.body_bytes or not may_be_html(content_type):
        return None
    decoded = decode_response(fetched, MAX_HTML_BYTES)
    if not is_html(content_type, decoded.data[:512]):
        return None
    return parse_html(decoded.data, fetched.url, content_type, fetched.headers, agent)


def _header(fetched: Fetched, name: bytes) -> str | None:
    for header, value in fetched.headers:
        if header == name:
            return value.decode("utf-8", "replace")
    return None
