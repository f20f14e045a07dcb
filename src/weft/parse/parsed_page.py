"""What comes out of reading a response, whatever it was: a page, a feed, a style sheet."""

from __future__ import annotations

import msgspec

from weft.parse.link_kinds import Found, Place
from weft.parse.robots_directives import RobotsDirectives


class ParsedPage(msgspec.Struct, frozen=True):
    """What was found on a page."""

    title: str
    charset: str
    base: str  # what its links are relative to: its URL, unless a base element says otherwise
    # Each URL once, without the page's own, in the order of the page; those of CSS, JSON-LD and srcdoc come last.
    links: list[Found]
    nofollow: bool  # no link of the page is to be followed
    noindex: bool
    noarchive: bool

    @classmethod
    def of_links(cls, links: list[Found], url: str, charset: str, asked: RobotsDirectives) -> ParsedPage:
        """What has links and little else."""
        return cls("", charset, url, links, asked.nofollow, asked.noindex, asked.noarchive)


class LinkList:
    """The links of a page: every URL once, at its first place, of the strongest kind it has anywhere."""

    __slots__ = ("places", "vouched")

    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        # The URLs that are not nofollow somewhere; None as long as none is nofollow anywhere.
        self.vouched: set[str] | None = None

    def take(self, url: str | None, place: Place) -> None:
        """Take in a link for which the author vouches; None is a broken one."""
        if url is None:
            return
        known = self.places.get(url)
        if known is None or place.rank < known.rank:
            self.places[url] = place
        if self.vouched is not None:
            self.vouched.add(url)

    def found(self, own_url: str) -> list[Found]:
        """All of them, without the page's own URL."""
        self.places.pop(own_url, None)
        vouched = self.vouched
        return [
            Found(url, place.kind, vouched is not None and url not in vouched, place.context)
            for url, place in self.places.items()
        ]
