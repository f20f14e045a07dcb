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
from typing import Final

from turbohtml import Document, Element, Markdown, Text

# Not on the screen of a reader whose browser runs scripts: what replaces something else, what can only be chosen
# or typed, and drawings, whose words are mostly names of icons. Scripts, styles and comments are never written.
UNSEEN_TAGS: Final = (
    "annotation", "annotation-xml", "audio", "canvas", "datalist", "iframe", "noembed", "noframes", "noscript",
    "object", "select", "svg", "template", "textarea", "video",
)  # fmt: skip
HIDDEN: Final = '[hidden], [style*="display:none" i], [style*="display: none" i], dialog:not([open])'

_AS_WRITTEN = ("listing", "plaintext", "pre", "xmp")
_AS_WRITTEN_SELECTOR = ", ".join(_AS_WRITTEN)
_BLOCKS_BY_ANOTHER_NAME = ("center", "dialog", "dir", "fieldset", "form", "hgroup", "legend", "search")  # to turbohtml
# Each of those costs a copy of all that is in it, so only a few may stand in each other.
_TOO_DEEP = " ".join([f":is({', '.join(_BLOCKS_BY_ANOTHER_NAME)})"] * 9)
_UNUSUAL = f"{HIDDEN}, {_TOO_DEEP}"

# The line breaks of a `pre`, and its two ends, until all other white space is settled: no page has a NUL in its tree.
_KEPT_BREAK = "\0n"
_END_OF_PRE = "\0e"
_NOT_TEXT_IN_PRE = ", ".join(("br", "script", "style", *UNSEEN_TAGS))


def page_text(document: Document) -> str:
    """What a reader sees; without the title, which is not on the page itself. The document is left as it is."""
    if document.select_one(_UNUSUAL) is not None:
        document = copy.deepcopy(document).remove(HIDDEN)
        for element in document.select(_TOO_DEEP):
            element.tag = "div"
    text = document.to_markdown(_NO_MARKS)
    lines = [line for spaced in text.split("\n") if (line := spaced.strip(" "))]
    return "\n".join(lines).replace(_KEPT_BREAK, "\n").replace(_END_OF_PRE, "").replace("\xad", "")


def _nothing(_element: Element, _inside: str) -> str:
    return ""


def _line_break(_element: Element, _inside: str) -> str:
    return "\n"


def _line_of_its_own(_element: Element, inside: str) -> str:
    return f"\n{inside}\n"


def _as_written(pre: Element, _inside: str) -> str:
    if pre.parent is not None and pre.parent.closest(_AS_WRITTEN_SELECTOR) is not None:
        return ""  # a part of what is written anyway
    if pre.select_one(_NOT_TEXT_IN_PRE) is not None:
        pre = copy.deepcopy(pre)
        for line_break in pre.select("br"):
            line_break.replace_with(Text("\n"))
        pre.remove(_NOT_TEXT_IN_PRE)
    text = pre.text.strip("\n").replace("\n", _KEPT_BREAK)
    return f"\n{_END_OF_PRE}{text}{_END_OF_PRE}\n"


_NO_MARKS = Markdown(
    strip=(
        *("a", "b", "blockquote", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "i", "kbd", "li"),
        *("ol", "s", "samp", "strike", "strong", "tt", "ul"),
    ),
    converters={
        **dict.fromkeys((*UNSEEN_TAGS, "hr"), _nothing),
        **dict.fromkeys(_BLOCKS_BY_ANOTHER_NAME, _line_of_its_own),
        **dict.fromkeys(_AS_WRITTEN, _as_written),
        "br": _line_break,
    },
    images=Markdown.Images(mode="ignore"),
    tables=Markdown.Tables(mode="strip"),
    escaping=Markdown.Escaping(mode="none", asterisks=False, underscores=False),
    document=Markdown.Document(block_spacing="single"),
)
