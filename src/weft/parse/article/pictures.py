"""The pictures of an article, without logos; what is said of them in their place, unless a line of the page says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from turbohtml import Element, Node, Text

from weft.parse.article.blocks import Block

_WORDS_OF_PICTURES: Final = ("alt", "title")
_COMPARED_CHARS: Final = 20  # a caption goes on with who took the picture
_FILES: Final = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".svg")


def drop_repeated_alts(body: Element, blocks: list[Block]) -> None:
    """Take alternative texts away that repeat a line of the page: its headline, or the caption beside the picture."""
    pictures = body.select("img[alt], img[title], amp-img[alt], amp-img[title]")
    if not pictures:
        return
    lines = {block.text[:_COMPARED_CHARS] for block in blocks if block.text}
    for picture in pictures:
        for name in _WORDS_OF_PICTURES:
            words = " ".join((picture.attr(name) or "").split())
            if words[:_COMPARED_CHARS] in lines:
                picture.attrs[name] = ""


def drop_linked_at_edges(body: Element) -> None:
    """Take pictures away that lead elsewhere and stand before the first words or after the last: logos, adverts.

    Words in links are none of these. A picture that leads to itself, in full size or on a page of its own, stays.
    """
    if body.select_one("a img, a amp-img") is None:
        return
    nodes = list(body.descendants)
    before, after = _linked_before_words(nodes), _linked_before_words(reversed(nodes))
    if before is None or after is None:  # no words at all
        return
    for link in (*before, *after):
        link.decompose()


def _linked_before_words(nodes: Iterable[Node]) -> list[Element] | None:
    links: list[Element] = []
    for node in nodes:
        if isinstance(node, Text):
            if not node.data.isspace() and node.parent is not None and node.parent.closest("a") is None:
                return links
        elif isinstance(node, Element) and node.tag == "a" and _leads_elsewhere(node):
            links.append(node)
    return None


def _leads_elsewhere(link: Element) -> bool:
    picture = link.select_one("img, amp-img")
    if picture is None or link.text.strip():
        return False
    target = (link.attr("href") or "").partition("?")[0].partition("#")[0].lower()
    if not target or target.endswith(_FILES):
        return False
    # A page of its own for the picture has its name: `x/archiv-0-26/` has Archiv-0.26-150x150.png
    name = _letters(target.rstrip("/").rpartition("/")[2])
    return not name or name not in _letters((picture.attr("src") or "").lower())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))
