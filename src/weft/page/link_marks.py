"""A link's mark: one byte that says where it stands on its page, and what its rel says.

    low 3 bits    the place: `Place`
    bits 3 to 6   rel has nofollow, ugc, sponsored, noopener or noreferrer
    bit 7         only in `OutsideLink`: the graph has this link, too (it is too deep, so no row has its URL)

A target that is linked several times has the place that counts most, and the words of rel that all of these links have.
`weft.parse.said` makes marks; this reads them.
"""

from __future__ import annotations

from typing import Final

from weft.parse.said import NOFOLLOW, NOOPENER, PLACE_BITS, SPONSORED, UGC, Place

__all__ = ["IN_GRAPH", "NOFOLLOW", "NOOPENER", "PLACE_BITS", "SPONSORED", "UGC", "Place", "kind_of", "rel_of"]

IN_GRAPH: Final = 1 << 7

_RELS: Final = ((NOFOLLOW, "nofollow"), (UGC, "ugc"), (SPONSORED, "sponsored"), (NOOPENER, "noopener"))
KIND_NAMES: Final = ("link", "frame", "embed", "sitemap", "redirect", "refresh", "relation", "other")  # by Place


def place_of(mark: int) -> Place:
    """Where the link stands."""
    return Place(mark & PLACE_BITS)


def kind_of(mark: int) -> str:
    """The same as a word, for tables."""
    return KIND_NAMES[mark & PLACE_BITS]


def rel_of(mark: int) -> str:
    """The words of rel that are kept, with spaces between them."""
    return " ".join([word for bit, word in _RELS if mark & bit])
