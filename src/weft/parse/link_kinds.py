"""What kind of link stands in which attribute of which element.

another page    a area, link rel=next and its like         Kind.LINK
part of a page  frame iframe                               Kind.FRAME
its looks       img script style video …, srcset, url()    Kind.EMBED
perhaps         what scripts name                          Kind.GUESS
no link         form action, ping, cite, rel=preconnect    —

These are the attributes that turbohtml's links() returns; css.py, lazy.py and json_ld.py have the places it leaves out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import msgspec
from turbohtml import Element

from weft.types import Kind


class Found(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A link as it stands on a page, made canonical."""

    url: str
    kind: Kind
    nofollow: bool  # rel=nofollow, wherever it occurs on the page
    context: str  # where it was: a/@href


class LinkPlace(NamedTuple):
    """Where links stand. When a URL is found in several places, that of the lowest rank counts."""

    rank: int
    kind: Kind
    context: str

    @classmethod
    def of(cls, kind: Kind, context: str) -> LinkPlace:
        """A place for links of one kind."""
        return cls((Kind.LINK, Kind.FRAME, Kind.REFRESH, Kind.EMBED, Kind.GUESS).index(kind), kind, context)


@lru_cache(maxsize=256)  # there are not as many places
def needed_first(place: LinkPlace) -> LinkPlace:
    """The same place by another rank: what a page needs comes before what it links to."""
    return place._replace(rank=(Kind.EMBED, Kind.FRAME, Kind.LINK, Kind.REFRESH, Kind.GUESS).index(place.kind))


LINK_TO_PAGE = LinkPlace.of(Kind.LINK, "link/@href")
LINK_TO_PART = LinkPlace.of(Kind.EMBED, "link/@href")
INPUT_IMAGE = LinkPlace.of(Kind.EMBED, "input/@src")

PLACES: dict[tuple[str, str | None], LinkPlace] = {
    (element, attribute): LinkPlace.of(kind, f"{element}/@{attribute}")
    for kind, attribute, elements in (
        (Kind.LINK, "href", "a area"),
        (Kind.LINK, "xlink:href", "a"),
        (Kind.LINK, "longdesc", "img frame iframe"),
        (Kind.FRAME, "src", "frame iframe"),
        (Kind.EMBED, "src", "img script source video audio embed track bgsound"),
        (Kind.EMBED, "srcset", "img source"),
        (Kind.EMBED, "imagesrcset", "link"),
        (Kind.EMBED, "poster", "video"),
        (Kind.EMBED, "data", "object"),
        (Kind.EMBED, "archive", "object applet"),
        (Kind.EMBED, "href", "image use script feImage"),  # of SVG
        (Kind.EMBED, "xlink:href", "image use script feImage"),
        (Kind.EMBED, "background", "body table tr td th thead tbody tfoot"),
    )
    for element in elements.split()
}

_RELS_OF_PAGES, _RELS_OF_PARTS = (
    frozenset(rels.split())
    for rels in (
        "about alternate amphtml appendix archives author begin bookmark canonical chapter child collection contents"
        " copyright current describedby disclosure end first glossary help home index item last latest-version license"
        " me next next-archive parent predecessor-version prefetch prerender prev prev-archive previous privacy-policy"
        " related replies search section start subsection successor-version tag terms-of-service toc top up"
        " version-history via",
        "apple-touch-icon apple-touch-icon-precomposed apple-touch-startup-image fluid-icon icon image_src"
        " manifest mask-icon modulepreload preload stylesheet",
    )
)


def is_nofollow(element: Element) -> bool:
    """Whether the author does not vouch for the link of this element."""
    return "nofollow" in _rels(element)


def rarer_place(element: Element, attribute: str | None) -> LinkPlace | None:
    """The place of a link that PLACES does not have; None when it is nothing to follow, or CSS: css.py has those."""
    if attribute == "href" and element.tag == "link":
        return place_by_rel(_rels(element))
    if attribute == "src" and element.tag == "input":
        return INPUT_IMAGE if (element.attr("type") or "").lower() == "image" else None
    return None


def place_by_rel(rels: list[str]) -> LinkPlace | None:
    """The place of a link element's href, by the words of its rel."""
    if not _RELS_OF_PARTS.isdisjoint(rels):  # first, because of rel="alternate stylesheet"
        return LINK_TO_PART
    return None if _RELS_OF_PAGES.isdisjoint(rels) else LINK_TO_PAGE


def _rels(element: Element) -> list[str]:
    return (element.attr("rel") or "").lower().split()
