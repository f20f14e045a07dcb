"""What comes out of reading a response, whatever it was: a page, a feed, a style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Self

import msgspec

from weft.members import EMBED
from weft.parse.link_kinds import Found, LinkPlace
from weft.parse.robots_directives import robots_directives
from weft.parse.said import Said
from weft.types import Kind, PageFacts, Unread
from weft.url import LinkResolver

HeaderPairs = Sequence[tuple[bytes, bytes]]  # of a response, names in lower case


class ParsedPage(msgspec.Struct, frozen=True, dict=True):
    """What was found on a page."""

    title: str
    charset: str
    base: str  # what its links are relative to: its URL, unless a base element says otherwise
    # Each URL once, without the page's own, in the order of the page; those of CSS, JSON-LD and srcdoc come last.
    places: dict[str, LinkPlace]
    vouched: set[str] | None  # those that are not nofollow somewhere; None: none is nofollow
    nofollow: bool  # no link of the page is to be followed
    noindex: bool
    noarchive: bool
    unread: Unread | None = None  # why there may be more links …
    links_read_bytes: int = 0  # … and about how much of the body was read
    text: str = ""  # the decoded HTML, where it was asked for
    said: Said | None = None  # mark and anchor of each URL, where asked for …
    facts: PageFacts | None = None  # … and what the page says of itself
    is_page: bool = True  # no feed, style sheet or manifest

    @classmethod
    def of_links(cls, links: LinkList, url: str, charset: str, headers: HeaderPairs, agent: str) -> ParsedPage:
        """What has links and little else: a feed, a style sheet, a manifest."""
        places = links.places_but(url)
        asked = robots_directives(headers, (), agent)
        return cls(
            "", charset, url, places, links.vouched, asked.nofollow, asked.noindex, asked.noarchive, is_page=False
        )

    @cached_property
    def links(self) -> list[Found]:
        """The links with all that is known of them."""
        vouched = self.vouched
        return [
            Found(url, place.kind, vouched is not None and url not in vouched, place.context)
            for url, place in self.places.items()
        ]

    def leads(self, depth: int, *, embeds: bool, nofollow: bool) -> list[tuple[str, Kind, int]]:
        """URL, kind and the depth given, of each link: what a crawl goes by.

        With `embeds`, those that the page needs to look right too; with `nofollow`, those that are nofollow too.
        """
        left_out = None if embeds else EMBED
        vouched = None if nofollow else self.vouched
        # Hot: places are taken apart by index.
        if vouched is None:
            return [(url, place[1], depth) for url, place in self.places.items() if place[1] is not left_out]
        return [
            (url, place[1], depth) for url, place in self.places.items() if place[1] is not left_out and url in vouched
        ]


class LinkList:
    """The links of a page: every URL once, at its first place, of the strongest kind it has anywhere."""

    __slots__ = ("places", "vouched")

    def __init__(self) -> None:
        self.places: dict[str, LinkPlace] = {}
        # The URLs that are not nofollow somewhere; None as long as none is nofollow anywhere.
        self.vouched: set[str] | None = None

    def take(self, url: str | None, place: LinkPlace) -> None:
        """Take in a link for which the author vouches; None is a broken one. A guess does not vouch for a link."""
        if url is None:
            return
        known = self.places.get(url)
        if known is None or place.rank < known.rank:
            self.places[url] = place
        if self.vouched is not None and (known is None or place.kind is not Kind.GUESS):
            self.vouched.add(url)

    def take_all(self, hrefs: Iterable[tuple[str, LinkPlace]], base_url: str) -> Self:
        """Take in links as they stand, relative to a URL."""
        resolve = LinkResolver(base_url).resolve
        for href, place in hrefs:
            self.take(resolve(href), place)
        return self

    def places_but(self, own_url: str) -> dict[str, LinkPlace]:
        """The places of all of them, without the page's own URL."""
        self.places.pop(own_url, None)
        return self.places
