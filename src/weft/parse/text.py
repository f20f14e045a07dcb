"""The plain text of a page: the words that a reader sees, each block on a line of its own.

    <h1>Fruit</h1><p>Apples and<br>pears<script>…</script>    Fruit
    <table><tr><td>red<td>green</table>                       Apples and
                                                              pears
                                                              red green

White space is as a browser shows it: runs become one space, `pre` is kept. So a blank line, or a line that
begins with a space, comes from a `pre`.

turbohtml's Markdown writer does the work, with all its marks switched off. Its plain text writer is quicker
(41 µs for a page of 23 KB, and this 150), but it takes `form` for a part of a line, glues `<a><p>one</p></a>two`
into "onetwo", and pads the columns of a table: 140 KB of rows become 50 MB of spaces.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Final

from turbohtml import Document, Element, Markdown, Text

# Not on the screen of a reader whose browser runs scripts: what replaces something else, what can only be chosen
# or typed, and drawings, whose words are mostly names of icons. Scripts, styles and comments are never written. How
# Chinese and Japanese signs are read stands above them; in a line it would be between the parts of a word. Of AMP, what
# stands where an advert will be, and menus that are not shown until they are asked for.
UNSEEN_TAGS: Final = (
    "amp-ad", "amp-embed", "amp-sidebar", "annotation", "annotation-xml", "audio", "canvas", "datalist", "iframe",
    "noembed", "noframes", "noscript", "object", "rp", "rt", "rtc", "select", "svg", "template", "textarea", "video",
)  # fmt: skip
HIDDEN: Final = '[hidden], [style*="display:none" i], [style*="display: none" i], dialog:not([open])'

_AS_WRITTEN = ("listing", "plaintext", "pre", "xmp")
_AS_WRITTEN_SELECTOR = ", ".join(_AS_WRITTEN)
_BLOCKS_BY_ANOTHER_NAME = ("center", "dialog", "dir", "fieldset", "form", "hgroup", "legend", "search")  # to turbohtml
# Each of those costs a copy of all that is in it, so only a few may stand in each other.
_TOO_MANY = 9
_TOO_DEEP = " ".join([f":is({', '.join(_BLOCKS_BY_ANOTHER_NAME)})"] * _TOO_MANY)
# turbohtml takes these for a part of a line if they stand in one, as in `<a><h2>Title</h2></a>`.
_GLUED_IN_A_LINE = ("blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "li", "menu", "ol", "ul")
_BLOCKS = (
    *_AS_WRITTEN, *_BLOCKS_BY_ANOTHER_NAME, *_GLUED_IN_A_LINE, "address", "article", "aside", "caption", "dd",
    "details", "div", "dl", "dt", "figcaption", "figure", "footer", "header", "hr", "main", "nav", "p", "section",
    "summary", "table", "tr",
)  # fmt: skip
_NOT_IN_A_LINE = frozenset((*_BLOCKS, "body", "td", "th"))

# The line breaks of a `pre`, its two ends, and those of blocks in it, until all other white space is settled.
# No page has a NUL in its tree.
_KEPT_BREAK = "\0n"
_END_OF_PRE = "\0e"
_EDGE_OF_BLOCK = "\0b"
# Most of a `pre` is text with such marks on it, so the rest is told from them.
_NO_MARK_ON_TEXT = ":not(span, a, b, code, em, font, i, kbd, samp, strong, tt, u, var)"


def page_text(document: Document) -> str:
    """What a reader sees; without the title, which is not on the page itself. The document is left as it is."""
    is_misread = bool(_blocks_not_taken_for_one(document))
    if is_misread or document.select_one(HIDDEN) is not None:
        document = copy.deepcopy(document).remove(HIDDEN)
    if is_misread:
        for element in _blocks_not_taken_for_one(document):
            element.tag = "div"
    text = document.to_markdown(_NO_MARKS)
    lines = [line for spaced in text.split("\n") if (line := spaced.strip(" "))]
    return "\n".join(lines).replace(_KEPT_BREAK, "\n").replace(_END_OF_PRE, "").replace("\xad", "")


def _blocks_not_taken_for_one(document: Document) -> list[Element]:
    """Tag by tag: turbohtml knows at once where a tag occurs, and tries a list of them on each element."""
    blocks = [
        element
        for tag in _GLUED_IN_A_LINE
        for element in document.find_all(tag)
        if isinstance(parent := element.parent, Element) and parent.tag not in _NOT_IN_A_LINE
    ]
    if sum(len(document.find_all(tag)) for tag in _BLOCKS_BY_ANOTHER_NAME) >= _TOO_MANY:
        blocks += document.select(_TOO_DEEP)
    return blocks


def _nothing(_element: Element, _inside: str) -> str:
    return ""


def _line_break(_element: Element, _inside: str) -> str:
    return "\n"


def _line_of_its_own(_element: Element, inside: str) -> str:
    return f"\n{inside}\n"


def _as_written(pre: Element, _inside: str) -> str:
    if pre.parent is not None and pre.parent.closest(_AS_WRITTEN_SELECTOR) is not None:
        return ""  # a part of what is written anyway
    text = text_as_written(pre).strip("\n").replace("\n", _KEPT_BREAK)
    return f"\n{_END_OF_PRE}{text}{_END_OF_PRE}\n"


def text_as_written(pre: Element) -> str:
    """What a `pre` holds, with its line breaks and spaces."""
    return _text_in_lines(pre) if _to_change(pre) else pre.text


def _text_in_lines(pre: Element) -> str:
    pre = copy.deepcopy(pre)
    for element, change in reversed(_to_change(pre)):  # from within: an element that is taken out takes all along
        change(element)
    parts = pre.text.split(_EDGE_OF_BLOCK)
    return "\n".join(part.removeprefix("\n").removesuffix("\n") for part in parts if part not in ("", "\n"))


def _to_change(pre: Element) -> list[tuple[Element, Callable[[Element], None]]]:
    others = pre.select(_NO_MARK_ON_TEXT)
    return [(element, change) for element in others if (change := _CHANGES_IN_PRE.get(element.tag))]


def _put_space(cell: Element) -> None:
    if cell.matches(":not(:first-child)"):
        cell.insert_before(Text(" "))


def _put_edges(block: Element) -> None:
    block.insert_before(Text(_EDGE_OF_BLOCK))
    block.insert_after(Text(_EDGE_OF_BLOCK))


_CHANGES_IN_PRE: Final[dict[str, Callable[[Element], None]]] = {
    **dict.fromkeys(_BLOCKS, _put_edges),
    **dict.fromkeys(("script", "style", *UNSEEN_TAGS), Element.decompose),
    **dict.fromkeys(("td", "th"), _put_space),
    "br": lambda line_break: line_break.replace_with(Text("\n")),
}

_NO_MARKS = Markdown(
    strip=("a", "b", "code", "del", "em", "i", "kbd", "s", "samp", "strike", "strong", "tt", *_GLUED_IN_A_LINE),
    converters={
        **dict.fromkeys(UNSEEN_TAGS, _nothing),
        **dict.fromkeys(_BLOCKS_BY_ANOTHER_NAME, _line_of_its_own),
        **dict.fromkeys(_AS_WRITTEN, _as_written),
        **dict.fromkeys(("br", "hr"), _line_break),
    },
    images=Markdown.Images(mode="ignore"),
    tables=Markdown.Tables(mode="strip"),
    escaping=Markdown.Escaping(mode="none", asterisks=False, underscores=False),
    document=Markdown.Document(block_spacing="single"),
)
