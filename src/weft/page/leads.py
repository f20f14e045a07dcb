"""Where a response leads, for each kind of response.

a redirect      to one URL, at no cost of depth; where a seed leads, the crawl follows
a sitemap       to the pages it names, one step away, and to other sitemaps
a page          to its links, one step away, unless it asks not to be followed; so does a drawing (SVG)
a feed          to the pages of its entries, one step away
a style sheet   to what it needs, one step away; it is read only in a crawl that fetches such things
a manifest      to the icons of a web app, likewise
a script, JSON  to what it loads, and what it may: likewise

Whatever is not read, because there is too much of it, is said: `Leads.unread`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from weft.config import CrawlConfig, product_token
from weft.fetch import Flaw, decode_response
from weft.filter.tags import TagChoice
from weft.media import Medium, media_type
from weft.members import SITEMAP
from weft.page.contents import read_contents
from weft.page.large_pages import LARGE_BYTES, LargePage
from weft.parse import LongPage, ParsedPage, parse_sitemap
from weft.parse.link_kinds import PLACES
from weft.parse.said import Said
from weft.parse.scan import Skipped
from weft.parse.sitemap import MAX_SITEMAP_BYTES
from weft.parse.tree import tree_of
from weft.types import (
    Fetched,
    FoundLink,
    Kind,
    Link,
    Outlinks,
    PageFacts,
    Processed,
    Refusal,
    RefusedLink,
    TrailNote,
    Unread,
)
from weft.url import LinkResolver, host_of, text_of_location

if TYPE_CHECKING:
    from weft.page.judge import TopicJudge
    from weft.robots.by_host import RobotsByHost

_ONLY_EMBEDS = (Medium.STYLE_SHEET, Medium.MANIFEST, Medium.SCRIPT, Medium.DATA)
REDIRECTS = frozenset((301, 302, 303, 307, 308))


class Leads(msgspec.Struct, frozen=True):
    """What was read from a response."""

    urls: list[tuple[str, Kind, int]] = []  # URL, kind, depth
    redirects: int = 0  # in a row, up to those URLs
    mime: str = ""
    charset: str = ""
    title: str = ""
    noindex: bool = False
    unread: Unread | None = None  # why there may be more links than these …
    links_read_bytes: int = 0  # … and about how much of the body was read
    empty_entries: int = 0  # of a sitemap: those that name no URL
    is_long: bool = False  # they are too many for memory: further ones are read when they are asked for, and once
    further: Iterable[tuple[str, Kind, int]] = ()
    relevance: float = 0.0  # to the topic of the crawl, 0..1 …
    worths: dict[str, float] = {}  # … and how much each link seems to have to do with it; the others nothing
    # If asked for: what each link of a page says, also of those that are not followed; it grows as `further` is read …
    said: Said | None = None
    facts: PageFacts | None = None  # … and what the page says of itself

    def all_urls(self) -> Iterable[tuple[str, Kind, int]]:
        """Also those that are read when they are asked for."""
        return chain(self.urls, self.further) if self.is_long else self.urls

    def processed(
        self,
        links: list[FoundLink],
        refused: dict[Refusal, int],
        listed: list[RefusedLink],
        trail: TrailNote | None,
        outlinks: Outlinks | None,
    ) -> Processed:
        """What the engine should hear of it, with the links that are left of these."""
        return Processed(
            links,
            None,
            self.mime,
            self.charset,
            self.title,
            self.noindex,
            refused,
            listed,
            unread=self.unread,
            links_read_bytes=self.links_read_bytes,
            trail=trail,
            outlinks=outlinks,
        )


class Reader:
    """Reads responses for one crawl. `show_life` is called now and then while it takes long.

    `skipped` says which links of the response to a link may be left out. With a topic, a page that is read at once is
    judged by it.
    """

    def __init__(
        self,
        config: CrawlConfig,
        show_life: Callable[[], None] = lambda: None,
        skipped: Callable[[Link], Skipped | None] = lambda link: None,
    ) -> None:
        self._config = config
        self._skipped = skipped
        self._show_life = show_life
        self._agent = product_token(config)
        self._robots: RobotsByHost | None = None
        if config.hosts:
            from weft.robots.by_host import RobotsByHost  # only then: a crawl without them pays nothing for it

            self._robots = RobotsByHost(config)
        self._tags = TagChoice(config.follow_tags, config.ignore_tags)
        self._chooses = bool(self._tags)
        # Those that are no links to browsers, but to the scripts of some site.
        self._more_attributes = [one for one in self._tags.attributes() if one not in PLACES]
        self._follows_links = config.follow == "links"
        self._left_out = () if config.requisites else _ONLY_EMBEDS
        self._judge: TopicJudge | None = None
        if config.topic_words:
            # A crawl without a topic pays nothing for it.
            from weft.order.topic import Topic
            from weft.page.judge import TopicJudge

            self._judge = TopicJudge(Topic(config.topic_words))

    def leads_of(self, link: Link, fetched: Fetched, *, may_be_large: bool = True) -> Leads:
        """Where the response to this link leads. LargePage if it turns out to be one and must not."""
        content_type = _header(fetched, b"content-type")
        mime = media_type(content_type)
        if fetched.status in REDIRECTS and (location := fetched.header(b"location")) is not None:
            return _redirect(link, location, mime)
        if link.kind is SITEMAP:
            return _sitemap(link, fetched, content_type, may_be_large)
        page = read_contents(
            fetched,
            content_type,
            self._agent if self._robots is None else self._robots.name_for(host_of(link.url)),
            embeds=self._config.requisites,
            needs_first=self._config.mirror,  # a picture of another host that is both shown and linked to
            left_out=self._left_out,
            via=link.via,
            may_be_large=may_be_large,
            keep_text=self._judge is not None or bool(self._more_attributes),
            notes=self._config.links,
            skipped=self._skipped(link),
            show_life=self._show_life,
        )
        if page is None:
            return Leads(mime=mime)
        if isinstance(page, LongPage):
            return self._leads_of_parts(page, link.depth + 1, mime)
        urls = self._leads(page, link.depth + 1)
        if self._more_attributes and page.text and not page.nofollow:
            urls += self._more_leads(page, link.depth + 1)
        leads = Leads(
            urls, 0, mime, page.charset, page.title, page.noindex, page.unread, page.links_read_bytes,
            said=page.said, facts=page.facts,
        )  # fmt: skip
        return leads if self._judge is None else _judged(leads, page, self._judge)

    def _leads_of_parts(self, page: LongPage, depth: int, mime: str) -> Leads:
        parts = page.parts()
        first = next(parts)
        urls = self._leads(first, depth)
        further = (lead for part in parts for lead in self._leads(part, depth))
        unread, read_bytes = page.unread, page.links_read_bytes
        return Leads(
            urls, 0, mime, page.charset, page.title, page.noindex, unread, read_bytes, 0, True, further,
            said=first.said, facts=first.facts,
        )  # fmt: skip

    def _leads(self, page: ParsedPage, depth: int) -> list[tuple[str, Kind, int]]:
        if self._follows_links and not page.nofollow:
            return self._followed(page, depth)
        is_needed = self._config.mirror if page.nofollow else self._config.requisites
        return self._needed(page, depth) if is_needed else []

    def _more_leads(self, page: ParsedPage, depth: int) -> list[tuple[str, Kind, int]]:
        """What stands in attributes that the user names."""
        document = tree_of(page.text)
        resolve = LinkResolver(page.base, page.charset).resolve
        hrefs = (
            element.attr(attribute) or ""
            for tag, attribute in self._more_attributes
            for element in document.select(f"{tag}[{attribute}]")
        )
        found = dict.fromkeys(url for href in hrefs if (url := resolve(href)) is not None)
        places = page.places  # by which they are known already, or guessed at only
        return [
            (url, Kind.EMBED, depth) for url in found if url not in places or not self._tags.has(places[url].context)
        ]

    def _needed(self, page: ParsedPage, depth: int) -> list[tuple[str, Kind, int]]:
        """Of a page that is not to be followed: who wants it to look right does so all the same."""
        return [lead for lead in self._followed(page, depth) if lead[1] is Kind.EMBED]

    def _followed(self, page: ParsedPage, depth: int) -> list[tuple[str, Kind, int]]:
        found = page.leads(depth, embeds=self._config.requisites, nofollow=not self._config.obey_rel_nofollow)
        if not self._chooses or not page.is_page:
            return found
        return [lead for lead in found if self._tags.has(page.places[lead[0]].context)]


def _judged(leads: Leads, page: ParsedPage, judge: TopicJudge) -> Leads:
    judgement = judge.judge(page.text, LinkResolver(page.base, page.charset).resolve)
    return msgspec.structs.replace(leads, relevance=judgement.relevance, worths=judgement.worths)


def _redirect(link: Link, location: bytes, mime: str) -> Leads:
    url = LinkResolver(link.url).resolve(text_of_location(location))
    if url is None:
        return Leads(mime=mime)
    kind = link.kind if link.kind in (Kind.SEED, Kind.SITEMAP) else Kind.REDIRECT
    return Leads([(url, kind, link.depth)], link.redirects + 1, mime)


def _sitemap(link: Link, fetched: Fetched, content_type: str | None, may_be_large: bool) -> Leads:
    body, flaw = decode_response(fetched, MAX_SITEMAP_BYTES)
    if len(body) > LARGE_BYTES and not may_be_large:
        raise LargePage
    sitemap = parse_sitemap(body, fetched.url, content_type)
    is_over = flaw is Flaw.OVER_LIMIT or fetched.archived is not None
    unread = Unread.TOO_LARGE if is_over and sitemap.unread is not Unread.TOO_MANY_LINKS else sitemap.unread
    if flaw is Flaw.COSTLY:
        unread = Unread.COSTLY
    pages = [(page.url, Kind.LINK, link.depth + 1) for page in sitemap.pages]
    others = [(url, Kind.SITEMAP, link.depth) for url in sitemap.sitemaps]
    return Leads(
        pages + others,
        mime=media_type(content_type),
        unread=unread,
        links_read_bytes=len(body) if unread else 0,
        empty_entries=sitemap.empty_entries,
    )


def _header(fetched: Fetched, name: bytes) -> str | None:
    value = fetched.header(name)
    return None if value is None else value.decode("utf-8", "replace")
