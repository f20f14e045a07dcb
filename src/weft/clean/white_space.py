"""Empty text: what it is, and how it goes without gluing words together.

Paper 4 deletes text nodes "whose content is empty". Its tree is Jsoup's, in which all that stands between two tags
is a text, so what is meant is white space: mostly the indentation of the markup. But a space between two words of a
line carries something: without it `<b>big</b> <i>fish</i>` reads "bigfish". So a text is empty here when

1. it is blank, that is, nothing but ASCII's white space (`&nbsp;` is there because somebody wants it to be seen), and
2. a reader sees nothing of it: it begins or ends a block, or stands beside one, or only blank texts are in between.
   There the line breaks anyway.

White space within `pre` and the like is seen, and stays.

In the same way, an element that breaks the line separates words: `one<br>two`. So where one is deleted, a line feed
takes its place (`elements`), and is empty text in turn where it stands beside a block; and a space that of a box on
the line, such as an image or a button. One rule for all: **what is deleted never glues words together that a reader
sees apart.**
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

from turbohtml import Document, Element, NodeIterator, Text
from turbohtml.traverse import NodeFilter

# Elements that begin on a line of their own, by HTML's own style sheet, and cells, which are apart anyway.
BLOCKS: Final = frozenset((
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "col", "colgroup", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "frameset", "h1", "h2",
    "h3", "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav",
    "ol", "optgroup", "option", "p", "plaintext", "pre", "search", "section", "summary", "table", "tbody", "td",
    "tfoot", "th", "thead", "tr", "ul", "xmp",
))  # fmt: skip
# Those that can have text beside them.
BREAKS: Final = BLOCKS - {"html", "head", "body"}

# What a reader sees as a box within the line.
BOXES: Final = frozenset((
    "applet", "audio", "button", "canvas", "embed", "iframe", "image", "img", "input", "keygen", "meter", "object",
    "picture", "progress", "select", "svg", "textarea", "video",
))  # fmt: skip

AS_WRITTEN: Final = ("listing", "plaintext", "pre", "textarea", "xmp")
_AS_WRITTEN: Final = ", ".join(AS_WRITTEN)


def drop_empty_text(document: Document) -> None:
    """Delete the texts that are empty. What is called for each text is written out: a page has hundreds."""
    seen = _blank_as_written(document)
    after_words = []
    for text in _blank_texts(document):
        if seen and text in seen:
            continue
        before = text.previous_sibling
        if before is None:
            before = text.parent
        if isinstance(before, Element) and before.tag in BLOCKS:
            text.decompose()
        else:
            after_words.append(text)
    # From the end: once a text is gone, the one before it stands beside the block.
    while after_words:
        text = after_words.pop()
        after = text.next_sibling
        if after is None:
            after = text.parent
        if isinstance(after, Element) and after.tag in BLOCKS:
            text.decompose()


def _blank_texts(node: Document | Element) -> list[Text]:
    texts = cast("Iterator[Text]", NodeIterator(node, what_to_show=NodeFilter.SHOW_TEXT))
    return [text for text in texts if (data := text.data).isspace() and data.isascii()]


def _blank_as_written(document: Document) -> set[Text]:
    """The blank texts that a reader sees."""
    seen: set[Text] = set()
    for tag in AS_WRITTEN:
        for element in document.select(tag):
            if element.parent is None or element.parent.closest(_AS_WRITTEN) is None:  # else it is done with that one
                seen.update(_blank_texts(element))
    return seen
