"""A page as Markdown (GitHub's), with links that lead somewhere wherever the text is read.

| on the page                     | in the Markdown                                             |
|---------------------------------|-------------------------------------------------------------|
| a link, an image                | its whole URL, the fragment included                        |
| `mailto:` and the like          | as they are                                                 |
| a link that scripts handle      | its text                                                    |
| an image within the page (data:) | nothing: a megabyte of base64 helps no reader              |
| tables, lists, `pre`            | the same; a list in a cell is on one line with the rest     |
| a table that lays out the page  | what its cells hold, one after the other                    |
| what a reader does not see      | nothing, as in `page_text`                                  |
"""

from __future__ import annotations

import copy
from typing import Final

from turbohtml import Document, Element

from weft.parse.article import article_of
from weft.parse.markdown.block_steps import BLOCK_STEPS
from weft.parse.markdown.code import LINE_NUMBERS
from weft.parse.markdown.line_steps import LINE_STEPS
from weft.parse.markdown.writer import Writer
from weft.parse.text import HIDDEN, UNSEEN_TAGS
from weft.url import LinkResolver

__all__ = ["page_markdown"]

_UNSEEN: Final = ", ".join(("script", "style", *UNSEEN_TAGS, HIDDEN))
_BESIDE_THE_TEXT: Final = f"{LINE_NUMBERS}, a.headerlink, a.anchorjs-link, .mw-editsection"
_NOT_WRITTEN: Final = f"{HIDDEN}, {_BESIDE_THE_TEXT}"
_STEPS: Final = BLOCK_STEPS | LINE_STEPS


def page_markdown(
    document: Document, base_url: str, *, charset: str = "utf-8", main_only: bool = False, consume: bool = False
) -> str:
    """The whole page, or with `main_only` its article, without navigation and the like where they can be told apart.

    `base_url` is canonical, and `charset` is the one in which the page writes the queries of its links; both are
    what `parse_html` found. The document is left as it is. A caller who needs it no more lets `consume` spare the
    copy of which an article is made: of the tree, only what is written is sure to be there afterwards.
    """
    shown = shown_part(document, main_only=main_only, consume=consume)
    return Writer(LinkResolver(base_url, charset)).write(shown, _STEPS, not_written_in(shown))


def shown_part(document: Document, *, main_only: bool, consume: bool = False) -> Document | Element:
    """What of a page is written: all of it, or its article."""
    if not main_only:
        return document
    return article_of((document if consume else copy.deepcopy(document)).remove(_UNSEEN))


def not_written_in(shown: Document | Element) -> frozenset[Element]:
    """What a reader does not see, and what is beside the text: numbers of lines, anchors of headings."""
    return frozenset(shown.select(_NOT_WRITTEN))
