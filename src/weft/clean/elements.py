"""Which elements go: with what is in them, or without it.

turbohtml has an index of a tree's tags, so elements are looked up tag by tag, and one by one deleted: 17 µs for a page
of 40 KB and the paper's rules, where its bulk calls (`remove`, `strip_tags`) with one long selector take 54.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from turbohtml import Document, Element, Node, Text

from weft.clean.rules import Rules
from weft.clean.white_space import BOXES, BREAKS
from weft.regex import regex

_GAPS: Final = dict.fromkeys(BREAKS, "\n") | dict.fromkeys(BOXES, " ")
_NOT_PLAIN: Final = regex(r"([^a-z0-9_-])")


class ElementDeletion:
    """The rules for elements, as selectors."""

    __slots__ = ("_killed", "_protected", "_unwrapped")

    def __init__(self, rules: Rules) -> None:
        self._killed = (*_selectors(rules.kill), *rules.drop)
        self._unwrapped = _selectors(rules.unwrap)
        self._protected = ", ".join(rules.keep)

    def apply(self, document: Document) -> None:
        """Kill and unwrap. White space remains where it takes some to keep words apart."""
        protected = self._protected_in(document)
        killed = _all(self._killed, document, protected)
        for element in killed:
            _leave_a_gap(element)
        for element in killed:
            element.decompose()
        for element in _all(self._unwrapped, document, protected):
            if gap := _GAPS.get(element.tag):
                element.insert_before(Text(gap))
                element.insert_after(Text(gap))
            element.unwrap()

    def _protected_in(self, document: Document) -> set[Element]:
        protected: set[Element] = set()
        if self._protected:
            for element in document.select(self._protected):
                if element not in protected:
                    protected.add(element)
                    protected.update(element.select("*"))
        return protected


def _all(selectors: Sequence[str], document: Document, protected: set[Element]) -> list[Element]:
    """All matches, found before the tree changes: so the index is made once."""
    found = [element for selector in selectors for element in document.select(selector)]
    return [element for element in found if element not in protected] if protected else found


def _leave_a_gap(element: Element) -> None:
    """White space where an element was that kept words apart."""
    gap = _GAPS.get(element.tag)
    if gap is not None and not (gap == " " and _ends_in_white_space(element.previous_sibling)):
        element.insert_before(Text(gap))


def _ends_in_white_space(node: Node | None) -> bool:
    return isinstance(node, Text) and node.data[-1:].isspace()


def _selectors(tags: Iterable[str]) -> tuple[str, ...]:
    """`o:p` is a tag of pages that were written in a word processor, and a pseudo-class in CSS."""
    return tuple(_NOT_PLAIN.sub(r"\\\1", tag) for tag in sorted({tag.lower() for tag in tags}))
