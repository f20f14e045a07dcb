"""The links of a page without its tree: the Python side of `_scan.c`.

    scan_page(text, embeds)  ──▶  Page: title, base, meta elements, links     where the walk is sure of itself
                             ──▶  None: build the tree                        for a frameset, links between the cells
                                                                              of a table, …; or `_scan` was not built
    page_scanner(embeds)     ──▶  Scanner: takes parts of a text that is too long for a tree (long_page.py)

`_scan` is built at installation where there is a compiler. Results are the same with and without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import msgspec
from turbohtml import Element, Text

from weft.parse.char_refs import attribute_value, text_content
from weft.parse.lazy import LAZY_PLACE_OF
from weft.parse.link_kinds import INPUT_IMAGE, LINK_TO_PAGE, LINK_TO_PART, PLACES, LinkPlace, needed_first, place_by_rel
from weft.parse.said import MOST_SAID, Said, mark_of, marked_words
from weft.parse.tree import short_title
from weft.url import LinkResolver
from weft.url.resolve import is_canonical_origin

if TYPE_CHECKING:
    from weft.parse._scan import Page, Reported, Scanner

NO_SCANNER: Final = "WEFT_NO_SCANNER"  # in the environment: do without

try:
    from weft.parse import _scan
except ImportError:  # no compiler was there at installation
    _scan = None  # type: ignore[assignment]
if os.environ.get(NO_SCANNER):  # to compare the two
    _scan = None  # type: ignore[assignment]

ScanPage = Callable[[str, bool, bool], "Page | None"]


class Skipped(msgspec.Struct, frozen=True, gc=False):
    """Links that need not be taken in: those that were reported at this depth or nearer."""

    reported: Reported
    depth: int


def reported_urls(most_urls: int, most_chars: int) -> Reported | None:
    """As `filter.reported.ReportedUrls`, and may be `Skipped` by; None if the C part was not built."""
    return None if _scan is None else _scan.Reported(most_urls, most_chars)


def has_scanner() -> bool:
    """Whether the C part was built."""
    return _scan is not None


def scan_page(text: str, embeds: bool, notes: bool = False) -> Page | None:
    """Walk through a page; None when it takes a tree to say what it holds."""
    decode_text = marked_words if notes else None
    return None if _scan is None else _scan.scan(text, embeds, decode_text, attribute_value, _number_by_rel)


def page_scanner(embeds: bool, notes: bool = False) -> Scanner | None:
    """Walks through a page that comes in parts, and never asks for a tree; None if the C part was not built."""
    decode_text = marked_words if notes else None
    return None if _scan is None else _scan.Scanner(embeds, decode_text, attribute_value, _number_by_rel)


def always_tree(_text: str, _embeds: bool, _notes: bool = False) -> None:
    """A `scan_page` that is never sure."""


def title_of_scan(page: Page) -> str:
    """The title of the page; empty when there is none."""
    raw = page.title
    if not raw:
        return ""
    return short_title(text_content(raw) if "&" in raw else raw)


def take_scanned_links(
    page: Page,
    places: dict[str, LinkPlace],
    vouched: set[str] | None,
    resolver: LinkResolver,
    *,
    needs_first: bool = False,
    said: Said | None = None,
    skipped: Skipped | None = None,
) -> None:
    """Take in the links that stand in attributes, in the order of the page, and what they say."""
    reported, depth = (None, 0) if skipped is None else (skipped.reported, skipped.depth)
    ranked = _PLACES_OF_NEEDS_FIRST if needs_first else _PLACES
    page.take_links(
        places, vouched, resolver.url, resolver.resolve, is_canonical_origin, ranked, _split,
        said, MOST_SAID, _MARKS, marked_words, reported, depth,
    )  # fmt: skip


def scanned_styles(page: Page) -> list[tuple[str, list[str]]]:
    """Each piece of CSS and the URLs that turbohtml finds in it, in the order in which a tree gives them.

    That is: those with URLs first, then others that may have some: style elements, and attributes with an image-set.
    """
    with_urls: list[tuple[str, list[str]]] = []
    without: list[tuple[str, list[str]]] = []
    for is_element, css in page.styles or ():
        element = Element("style", None, [Text(css)]) if is_element else Element("p", {"style": css})
        hrefs = [href for _, _, href in element.links()]
        if hrefs:
            with_urls.append((css, hrefs))
        elif is_element or "image-set" in css:
            without.append((css, hrefs))
    return with_urls + without


def scanned_lazies(page: Page) -> list[tuple[str, str, LinkPlace]]:
    """Each attribute for lazy loading: its name, its value and its place, in the order of lazy.py."""
    found = sorted(page.lazies or (), key=lambda lazy: lazy[0])  # stable: the order of the page within each
    return [(_LAZY_PLACES[number][0], value, _LAZY_PLACES[number][1]) for number, value in found]


def _place(element: str, attribute: str) -> LinkPlace:
    name = "feImage" if element == "feimage" else element
    if (element, attribute) == ("input", "src"):
        return INPUT_IMAGE
    return LINK_TO_PAGE if (element, attribute) == ("link", "href") else PLACES[name, attribute]


LONGEST_KNOWN_REL: Final = 200  # those in the cache

# By the numbers that _scan gives places; one more than it has: link/@href is two.
_NAMED: Final = () if _scan is None else _scan.PLACES
_PLACES: Final = (*(_place(element, attribute) for element, attribute in _NAMED), LINK_TO_PART)
_PLACES_OF_NEEDS_FIRST: Final = tuple(map(needed_first, _PLACES))
_MARKS: Final = bytes(map(mark_of, _PLACES))
_LAZY_PLACES: Final = [(pair[1], LAZY_PLACE_OF[pair]) for pair in (() if _scan is None else _scan.LAZY_PLACES)]


def _number_by_rel(rel: str) -> int:
    """The number of a link element's place; 0 for none, which is another element's number."""
    return _known_rel(rel) if len(rel) <= LONGEST_KNOWN_REL else _known_rel.__wrapped__(rel)


@lru_cache(maxsize=256)  # the web uses some dozens
def _known_rel(rel: str) -> int:
    place = place_by_rel(rel.lower().split())
    return 0 if place is None else len(_NAMED) - (place is LINK_TO_PAGE)


def _split(number: int, value: str) -> list[str]:
    """The URLs in an attribute that holds several, as turbohtml takes them apart."""
    element, attribute = _NAMED[number]
    return [href for _, _, href in Element(element, {attribute: value}).links()]
