"""What a page claims in elements made for machines, by name: meta, itemprop.

<meta property="og:title" content="…">   "og:title": ["…"]
<meta name="DC.date" content="…">        "dc.date": ["…"]
<time itemprop="datePublished" …>        "datepublished": ["…"], apart, as elements
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Document, Element

from weft.parse.metadata.fields import MAX_DESCRIPTION_CHARS
from weft.parse.metadata.things import Thing, things_in
from weft.parse.metadata.visible import text_of

_MOST_METAS: Final = 500
_MOST_SAME: Final = 50  # of one name
_MOST_ITEMS: Final = 200
_MOST_CHARS: Final = 10_000
# What has a name of its own, or is about somebody else.
_ANOTHER_ITEM: Final = (
    '[itemprop="comment"], [itemtype*="Comment"], [itemprop="review"], [itemtype*="Review"],'
    ' [itemprop="itemListElement"], [itemprop="citation"]'
)


class Claims:
    """The claims of one page."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._metas = _metas_of(document)
        self._items: dict[str, list[Element]] | None = None
        self.things: list[Thing] = things_in(document)

    def all(self, *names: str) -> Iterator[str]:
        """What the meta elements with these names say, by the order of the names; empty ones are left out."""
        for name in names:
            yield from self._metas.get(name, ())

    def first(self, *names: str) -> str:
        """The first of them, or an empty text."""
        return next(self.all(*names), "")

    def items(self, *names: str) -> Iterator[Element]:
        """The elements with such an itemprop, without those of comments and lists of other things."""
        if self._items is None:
            self._items = _items_of(self._document)
        for name in names:
            yield from self._items.get(name, ())


def item_value(element: Element) -> str:
    """What microdata takes for the value of an element, if it is a text or a date."""
    for attribute in ("content", "datetime"):
        if (value := element.attr(attribute)) and value.strip():
            return value[:_MOST_CHARS]
    return text_of(element, MAX_DESCRIPTION_CHARS)


def _metas_of(document: Document) -> dict[str, list[str]]:
    metas: dict[str, list[str]] = {}
    for element in islice(document.find_all("meta"), _MOST_METAS):
        content = (element.attr("content") or "").strip()
        if not content:
            continue
        for attribute in ("property", "name", "itemprop", "http-equiv"):
            if name := element.attr(attribute):
                same = metas.setdefault(name.strip().lower()[:100], [])
                if len(same) < _MOST_SAME:
                    same.append(content[:_MOST_CHARS])
    return metas


def _items_of(document: Document) -> dict[str, list[Element]]:
    items: dict[str, list[Element]] = {}
    for element in islice(document.select("[itemprop]"), _MOST_ITEMS):
        names = (element.attr("itemprop") or "").lower().split()[:5]
        if element.tag == "meta" and element.parent is not None and element.parent.matches("head"):
            continue  # among the metas
        if names and element.closest(_ANOTHER_ITEM) is None:
            for name in names:
                items.setdefault(name, []).append(element)
    return items
