"""A page as a flat list of its blocks, in the order of the document, each with what the choice needs to know of it.

One walk over the tree makes the list; all decisions are then taken over plain values, without the tree. A block is an
element that a browser shows as a box of its own, with the text that stands in it directly or in its inline parts: the
text of a `p`, but not that of a `div` full of `p`. Text beside such boxes is a block of its own, as it is to a browser:
`<div>Share<p>It rained.</p>Back</div>` has three lines, and each can go without the others. So a block has either text
or other blocks. Counts are in characters; one of Chinese, Japanese or Korean says as much as several of an alphabet,
and counts so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from turbohtml import Document, Element, Node, Text

from weft.parse.article.words import role_of
from weft.regex import regex

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
_IMAGES: Final = frozenset(("img", "amp-img"))
HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
# Text beside blocks in one of these is of the same kind: `<li>Fruit<ul>…</ul></li>`.
_KINDS_OF_TEXT: Final = HEADINGS | {"blockquote", "caption", "dd", "dt", "li", "p", "pre", "summary", "td", "th"}
_MAY_STOP: Final = regex(r"[.!?…:;。！？；．」』।؟۔]")  # sought first: it is quick
_STOP: Final = regex(r"[.!?…:;][\s\"'”’»)\]]|[.!?…][\"'”’»)\]]*$|[。！？；．」』]|[।؟۔]")
_LEAST_SENTENCE_CHARS: Final = 16
_LONGEST_HEADING: Final = 300
_WIDE: Final = regex("[\u2e80-\U0010ffff]")  # each is a syllable or a word
_NARROW: Final = regex("[^\u2e80-\U0010ffff]+")
_WIDE_WEIGHT: Final = 3
_SAMPLE_CHARS: Final = 2_000


class Block:
    """One box of the page. `end` is the number of the first block after all that are in it."""

    __slots__ = (
        "chars", "element", "end", "has_stop", "images", "link_chars", "nodes", "number", "parent", "prose", "role",
        "tag", "text",
    )  # fmt: skip

    def __init__(self, number: int, parent: int, tag: str, element: Element | None, role: int) -> None:
        self.number = number
        self.parent = parent
        self.tag = tag
        self.element = element  # none if it is text beside other blocks
        self.nodes: Sequence[Text] = ()  # then they are that text
        self.role = role
        self.end = number + 1
        self.text = ""  # on one line
        self.has_stop = False  # the end of a sentence
        self.images = 0
        self.chars = 0  # of its text, or of all that is in it; so are the next two
        self.link_chars = 0
        self.prose = 0  # characters of running text

    def take_out(self) -> None:
        """Out of the tree, with all that is in it."""
        if self.element is not None:
            self.element.decompose()
            return
        for node in self.nodes:
            node.decompose()


def blocks_of(root: Document | Element) -> list[Block]:
    """All blocks of a tree; the first is the root."""
    block = Block(0, -1, "body", root if isinstance(root, Element) else None, 0)
    blocks = [block]
    # Text since the last edge of a block, where it is from, and how much of it is in links.
    parts: list[str] = []
    nodes: list[Text] = []
    link_chars = 0
    around: list[tuple[Iterator[Node], Block, bool]] = []
    children, in_link = iter(root), False
    while True:
        for node in children:
            if isinstance(node, Text):
                data = node.data
                if parts or not data.isspace():
                    parts.append(data)
                    nodes.append(node)
                    if in_link:
                        link_chars += len(data.strip())
            elif isinstance(node, Element):
                tag = node.tag
                if tag in _BLOCKS:
                    if parts:
                        _add_line(blocks, block, parts, nodes, link_chars)
                        parts, nodes, link_chars = [], [], 0
                    around.append((children, block, in_link))
                    attr = node.attr
                    role = role_of(attr("class"), attr("id"), attr("role"), attr("itemprop"))
                    block = Block(len(blocks), block.number, tag, node, role)
                    blocks.append(block)
                    children = iter(node)
                    break
                if tag == "br":
                    parts.append("\n")
                elif tag in _IMAGES:
                    block.images += 1
                elif tag not in _UNREAD:
                    around.append((children, block, in_link))
                    children, in_link = iter(node), in_link or (tag == "a" and not _is_anchor(node))
                    break
        else:
            if not around or around[-1][1] is not block:  # it ends here, and no inline part of it
                if parts:
                    if block.number + 1 == len(blocks):
                        _measure(block, parts, link_chars)
                    else:
                        _add_line(blocks, block, parts, nodes, link_chars)
                    parts, nodes, link_chars = [], [], 0
                block.end = len(blocks)
            if not around:
                break
            children, block, in_link = around.pop()
    for block in reversed(blocks):
        if block.chars and block.parent >= 0:
            parent = blocks[block.parent]
            parent.chars += block.chars
            parent.link_chars += block.link_chars
            parent.prose += block.prose
    return blocks


def _add_line(blocks: list[Block], around: Block, parts: list[str], nodes: list[Text], link_chars: int) -> None:
    """What was read of a block since the last one in it is a line of its own."""
    tag = around.tag if around.tag in _KINDS_OF_TEXT else "div"
    line = Block(len(blocks), around.number, tag, None, 0)
    _measure(line, parts, link_chars)
    if line.text:
        line.nodes = nodes
        line.images, around.images = around.images, 0
        blocks.append(line)


def _is_anchor(link: Element) -> bool:
    """Whether links lead to it, and it leads nowhere. If it is written as `<a id=x/>`, all that follows is in it."""
    if link.attr("href") is not None:  # most have one
        return False
    return link.attr("id") is not None or link.attr("name") is not None


def _measure(block: Block, parts: list[str], link_chars: int) -> None:
    text = " ".join("".join(parts).split())
    if not text:
        return
    block.text = text
    chars = length = len(text)
    links = min(link_chars, length)
    if not text.isascii():
        sample = text[:_SAMPLE_CHARS]
        if _WIDE.search(sample):
            wide = len(_NARROW.sub("", sample)) / len(sample)
            factor = 1 + (_WIDE_WEIGHT - 1) * wide
            chars, links = int(length * factor), int(links * factor)
    block.chars, block.link_chars = chars, links
    if length >= _LEAST_SENTENCE_CHARS and _MAY_STOP.search(text):
        block.has_stop = _STOP.search(text) is not None
    if chars > _LONGEST_HEADING and block.tag in HEADINGS:
        block.tag = "p"  # large letters alone
    free = chars - links
    is_running = free >= 80 or (free >= 40 and block.has_stop)
    if is_running and links * 2 < chars and block.tag not in HEADINGS:
        block.prose = free
