"""What a link says: its mark and its anchor text, for each URL of a page.

A mark is one byte: where the link stands (`Place`), and which words its rel has. What is noted of a URL is one string,
the mark as a character and then the anchor text, so that a link costs one object. Of a URL that is linked several times
count the first anchor text that is not empty, the place of the strongest kind, and the words that all of its rels have.

`_scan.c` does the same for pages without a tree (`note_link`, `_words.h`).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Final

from turbohtml import Element, Text

from weft.parse.char_refs import text_content
from weft.parse.link_kinds import LINK_TO_PAGE, LinkPlace
from weft.regex import regex
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

Said = dict[str, str]  # by URL: mark and anchor text

MOST_SAID: Final = 100_000  # URLs of a page: as many as the graph keeps
MAX_ANCHOR_CHARS: Final = 200
MOST_NODES: Final = 2_000  # of a link, that are looked at for its words

_REL_BITS: Final = {
    "nofollow": NOFOLLOW, "ugc": UGC, "sponsored": SPONSORED, "noopener": NOOPENER, "noreferrer": NOOPENER,
}  # fmt: skip
_PLACE_OF_KIND: Final = {Kind.FRAME: Place.FRAME, Kind.EMBED: Place.EMBED, Kind.REFRESH: Place.REFRESH}
_IN_ANCHORS: Final = frozenset(("a/@href", "a/@xlink:href", "area/@href"))
_BLANK: Final = regex("[\x01-\x20\x7f-\xa0]+")
_UNSAID: Final = frozenset(("script", "style"))
_BREAKS: Final = {
    "p", "div", "li", "ul", "ol", "dl", "dt", "dd", "table", "td", "th", "tr", "tbody", "thead", "tfoot", "caption",
    "section", "article", "nav", "header", "footer", "main", "aside", "figure", "blockquote", "pre", "center", "form",
    "address", "fieldset", "body", "html", "h1", "h2", "h3", "h4", "h5", "h6", "br", "hr",
}  # fmt: skip


def mark_of(place: LinkPlace) -> int:
    """The mark of a link that stands there, without rel."""
    if place.kind in _PLACE_OF_KIND:
        return _PLACE_OF_KIND[place.kind]
    if place.context in _IN_ANCHORS:
        return Place.ANCHOR
    return Place.RELATION if place.context == LINK_TO_PAGE.context else Place.OTHER


def note(said: Said, url: str, place: LinkPlace, *, wins: bool, rels: int = 0, words: str = "") -> None:
    """Note a link; `wins` says whether a place that was known before counts less."""
    before = said.get(url)
    if before is None:
        if len(said) < MOST_SAID:
            said[url] = chr(mark_of(place) | rels) + words
        return
    old, mark = ord(before[0]), mark_of(place)
    if old == Place.RELATION and mark == Place.ANCHOR:  # what a visitor can follow counts, with what its rel says
        bits = mark | rels
    else:
        bits = old & rels & ~PLACE_BITS | (mark if wins else old) & PLACE_BITS
    said[url] = chr(bits) + (before[1:] or words)


def note_element(said: Said, url: str, place: LinkPlace, element: Element, *, wins: bool) -> None:
    """Note the link of an element."""
    rels, words = 0, ""
    if element.tag in ("a", "area"):
        for word in (element.attr("rel") or "").lower().split():
            rels |= _REL_BITS.get(word, 0)
        if len(said.get(url, "")) <= 1:
            is_area = element.tag == "area"
            words = one_line(element.attr("alt") or "", MAX_ANCHOR_CHARS) if is_area else words_in(element)
    note(said, url, place, wins=wins, rels=rels, words=words)


def words_in(element: Element, most_chars: int = MAX_ANCHOR_CHARS) -> str:
    """The text of an element, without its scripts; that of its first image with one, if it has no other."""
    images: list[Element] = []
    return one_line("".join(_texts(element, 4 * most_chars, images)), most_chars) or next(
        filter(None, (one_line(image.attr("alt") or "", most_chars) for image in images)), ""
    )


def one_line(text: str, most_chars: int) -> str:
    """A text on one line, without control characters, and not endless."""
    if text.isascii():  # nearly always, and faster
        text = " ".join(text.split())
        if text.isprintable():
            return text if len(text) <= most_chars else text[:most_chars].rstrip(" ")
    return _BLANK.sub(" ", text.replace("\0", "")).strip(" ")[:most_chars].rstrip(" ")


def marked_words(raw: str, most_chars: int, is_marked: int) -> str:
    """Words that still have references; the first character may be a mark."""
    return raw[:is_marked] + one_line(text_content(raw[is_marked:]), most_chars)


def _texts(element: Element, most_chars: int, images: list[Element]) -> Iterator[str]:
    """Its texts, and spaces between blocks; about as many characters as are needed. Images on the way are noted.

    Links may lie in each other, and each is looked through: so not to the end of what is endless.
    """
    waiting: list[object] = list(reversed(element.children))
    nodes = 0
    while waiting and most_chars > 0 and nodes < MOST_NODES:
        node = waiting.pop()
        nodes += 1
        if isinstance(node, str):
            yield node
        elif isinstance(node, Text):
            most_chars -= len(node.data.strip())
            yield node.data
        elif isinstance(node, Element) and node.tag not in _UNSAID:
            if node.tag == "img":
                images.append(node)
            is_break = node.tag in _BREAKS
            if is_break:
                yield " "
                waiting.append(" ")
            waiting.extend(reversed(node.children))
