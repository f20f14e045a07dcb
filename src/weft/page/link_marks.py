"""A link's mark: one byte that says where it stands on its page, and what its rel says.

    low 3 bits    the place: `Place`
    bits 3 to 6   rel has nofollow, ugc, sponsored, noopener or noreferrer
    bit 7         only in `OutsideLink`: the graph has this link, too (it is too deep, so no row has its URL)

A target that is linked several times has the place that counts most, and the words of rel that all of these links have.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from weft.types import Kind


class Place(IntEnum):
    """Where a link stands."""

    ANCHOR = 0  # a, area
    FRAME = 1
    EMBED = 2  # what a page needs to look right: img, script, style sheets, media
    SITEMAP = 3  # the page is a sitemap
    REDIRECT = 4
    REFRESH = 5
    RELATION = 6  # link rel=next, canonical, alternate …
    OTHER = 7  # an entry of a feed, JSON-LD, longdesc


PLACE_BITS: Final = 0b111
NOFOLLOW: Final = 1 << 3
UGC: Final = 1 << 4
SPONSORED: Final = 1 << 5
NOOPENER: Final = 1 << 6  # or noreferrer
IN_GRAPH: Final = 1 << 7

_RELS: Final = ((NOFOLLOW, "nofollow"), (UGC, "ugc"), (SPONSORED, "sponsored"), (NOOPENER, "noopener"))
KIND_NAMES: Final = ("link", "frame", "embed", "sitemap", "redirect", "refresh", "relation", "other")  # by Place

PLACE_OF_KIND: Final[dict[Kind, Place]] = {
    Kind.SEED: Place.REDIRECT,  # a seed that is found is where another one redirects to
    Kind.LINK: Place.OTHER,
    Kind.FRAME: Place.FRAME,
    Kind.EMBED: Place.EMBED,
    Kind.REFRESH: Place.REFRESH,
    Kind.REDIRECT: Place.REDIRECT,
    Kind.SITEMAP: Place.SITEMAP,
}


def place_of(mark: int) -> Place:
    """Where the link stands."""
    return Place(mark & PLACE_BITS)


def kind_of(mark: int) -> str:
    """The same as a word, for tables."""
    return KIND_NAMES[mark & PLACE_BITS]


def rel_of(mark: int) -> str:
    """The words of rel that are kept, with spaces between them."""
    return " ".join([word for bit, word in _RELS if mark & bit])
