"""A page as a flat list of its blocks, in the order of the document, each with what the choice needs to know of it.

One walk over the tree makes the list; all decisions are then taken over plain values, without the tree. A block is an
element that a browser shows as a box of its own, with the text that stands in it directly or in its inline parts: the
text of a `p`, but not that of a `div` full of `p`. Counts are in characters; one of Chinese, Japanese or Korean says as
much as several of an alphabet, and counts so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from turbohtml import Document, Element, Node, Text

from weft.parse.article.words import role_of

_BLOCKS: Final = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
        "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
        "header", "hgroup", "hr", "legend", "li", "listing", "main", "menu", "nav", "ol", "p", "plaintext", "pre",
        "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "xmp",
    )
)  # fmt: skip
_UNREAD: Final = frozenset(
    (
        "audio",
        "head",
        "iframe",
        "noscript",
        "object",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "video",
    )
)
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_STOPS: Final = re.compile(r"[.!?…:;][\s\"'”’»)\]]|[.!?…][\"'”’»)\]]*$|[。！？；．」』]|[।؟۔]")
_WIDE: Final = "\u2e80"  # from here on a character is a syllable or a word
_WIDE_WEIGHT: Final = 3
_SAMPLE_CHARS: Final = 2_000


class Block:
    """One box of the page. `end` is the number of the first block after all that are in it."""

    __slots__ = (
        "chars", "element", "end", "images", "in_link", "link_chars", "number", "own_chars", "own_links", "parent",
        "parts", "prose", "role", "stops", "tag", "text",
    )  # fmt: skip

    def __init__(self, number: int, parent: int, tag: str, element: Element | None, role: int, in_link: bool) -> None:
        self.number = number
        self.parent = parent
        self.tag = tag
        self.element = element
        self.role = role
        self.in_link = in_link
        self.end = number + 1
        self.parts: list[str] = []
        self.text = ""  # its own, on one line
        self.own_chars = 0
        self.own_links = 0  # characters of them
        self.stops = 0  # ends of sentences
        self.images = 0
        self.prose = 0  # characters of running text, with all that is in it
        self.chars = 0  # of all that is in it
        self.link_chars = 0


def blocks_of(root: Document | Element) -> list[Block]:
    """All blocks of a tree; the first is the root."""
    blocks = [Block(0, -1, "body", root if isinstance(root, Element) else None, 0, False)]
    walk: list[tuple[Iterator[Node], int, bool]] = [(iter(root), 0, False)]
    while walk:
        children, owner, in_link = walk[-1]
        block = blocks[owner]
        for node in children:
            if isinstance(node, Text):
                data = node.data
                block.parts.append(data)
                if in_link:
                    block.own_links += len(data.strip())
            elif isinstance(node, Element):
                tag = node.tag
                if tag in _BLOCKS:
                    attr = node.attr
                    role = role_of(attr("class") or "", attr("id") or "", attr("role") or "", attr("itemprop") or "")
                    number = len(blocks)
                    blocks.append(Block(number, owner, tag, node, role, in_link))
                    walk.append((iter(node), number, in_link))
                    break
                if tag == "br":
                    block.parts.append("\n")
                elif tag == "img":
                    block.images += 1
                elif tag not in _UNREAD:
                    walk.append((iter(node), owner, in_link or (tag == "a" and not _is_anchor(node))))
                    break
        else:
            walk.pop()
            if not walk or walk[-1][1] != owner:
                block.end = len(blocks)
    for block in blocks:
        _measure(block)
    for block in reversed(blocks):
        if block.parent >= 0:
            parent = blocks[block.parent]
            parent.chars += block.chars
            parent.link_chars += block.link_chars
            parent.prose += block.prose
    return blocks


def _is_anchor(link: Element) -> bool:
    """Whether links lead to it, and it leads nowhere. If it is written as `<a id=x/>`, all that follows is in it."""
    if link.attr("href") is not None:  # most have one
        return False
    return link.attr("id") is not None or link.attr("name") is not None


def _measure(block: Block) -> None:
    if not block.parts:
        return
    text = " ".join("".join(block.parts).split())
    block.parts.clear()
    if not text:
        return
    block.text = text
    block.own_chars = length = len(text)
    block.own_links = min(block.own_links, length)
    sample = text[:_SAMPLE_CHARS]
    if not sample.isascii() and max(sample) >= _WIDE:
        wide = sum(char >= _WIDE for char in sample) / len(sample)
        factor = 1 + (_WIDE_WEIGHT - 1) * wide
        block.own_chars = int(length * factor)
        block.own_links = int(block.own_links * factor)
    block.stops = len(_STOPS.findall(text)) if length > 15 else 0
    block.chars = block.own_chars
    block.link_chars = block.own_links
    free = block.own_chars - block.own_links
    is_running = free >= 80 or (free >= 40 and block.stops > 0)
    if is_running and block.own_links * 2 < block.own_chars and block.tag not in HEADINGS:
        block.prose = free
