"""A page as Markdown (GitHub's), with links that lead somewhere wherever the text is read.

    shown_part ──▶ Writer, one walk over the tree ──▶ Line: words and marks ──▶ Blocks: lines of Markdown
                     block_steps, line_steps             escape, emphasis          lists, quotations

Rendered again, it has the page's words, links, lists, cells and code: bench/markdown_round_trip.py compares them.

| on the page                      | in the Markdown                                                      |
|----------------------------------|----------------------------------------------------------------------|
| a link, an image                 | its whole URL, the fragment included                                 |
| `mailto:` and the like           | as they are                                                          |
| a link that scripts handle       | its text                                                             |
| a link around blocks             | a link in each of them                                               |
| an image that comes later        | its `data-src` or the like; `alt`, else its title                    |
| an image in the page, a pixel    | nothing                                                              |
| links, items, headings, bold     | nothing, if nothing is in them                                       |
| a heading                        | one line, without its anchor (`¶`, `#`)                              |
| `b`, `i`, `del`                  | marks, where Markdown would read them as such; else the words alone  |
| `dl`                             | terms in bold, what is said of them as items                         |
| `details`                        | the summary in bold, then the rest                                   |
| a table                          | the same, each cell on one line; a row of headings is made if missing |
| a table that lays out the page   | what its cells hold, one after the other                             |
| `pre`                            | a fenced block with its language, without numbers of lines           |
| `sup`, `sub`                     | Unicode's digits, if it is a number; else the text                   |
| a formula                        | its TeX, if the page has it; else its text                           |
| text that looks like a mark      | the same, escaped where it would be one                              |
| what a reader does not see       | nothing, as in `page_text`                                           |
| readings above signs (`rt`)      | nothing: they would stand between the parts of a word                |

There is no HTML in it. turbohtml's own writer is quicker (0.6 ms for a page of 122 KB, and this 3), but of 922 real
pages it left empty links on 732, empty items on 485 and HTML on 403, and the words of 74 were others.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Final

from turbohtml import Document, Element

from weft.parse.article import NO_TEMPLATE, article_of, fingerprints_of
from weft.parse.markdown.block_steps import BLOCK_STEPS
from weft.parse.markdown.code import LINE_NUMBERS
from weft.parse.markdown.line_steps import LINE_STEPS
from weft.parse.markdown.writer import Writer
from weft.parse.text import HIDDEN, UNSEEN_TAGS
from weft.url import LinkResolver

__all__ = ["page_fingerprints", "page_markdown"]

_NOT_IN_AN_ARTICLE: Final = ", ".join(("script", "style", *UNSEEN_TAGS, HIDDEN))
_BESIDE_THE_TEXT: Final = f"{LINE_NUMBERS}, a.headerlink, a.anchorjs-link, .mw-editsection"
_NOT_WRITTEN: Final = f"{HIDDEN}, {_BESIDE_THE_TEXT}"
_LONG_NOTE_CHARS: Final = 1_000  # no request to switch scripts on is as long
_STEPS: Final = BLOCK_STEPS | LINE_STEPS


def page_markdown(
    document: Document,
    base_url: str,
    *,
    charset: str = "utf-8",
    main_only: bool = False,
    consume: bool = False,
    template: Mapping[int, float] = NO_TEMPLATE,
) -> str:
    """The whole page, or with `main_only` its article, without navigation and the like where they can be told apart.

    `base_url` is canonical, and `charset` is the one in which the page writes the queries of its links; both are
    what `parse_html` found. The document is left as it is. A caller who needs it no more lets `consume` spare the
    copy of which an article is made: of the tree, only what is written is sure to be there afterwards. An article is
    without what `template` knows to stand on many pages of the site.
    """
    shown = shown_part(document, main_only=main_only, consume=consume, template=template)
    return Writer(LinkResolver(base_url, charset)).write(shown, _STEPS, not_written_in(shown))


def page_fingerprints(document: Document) -> list[int]:
    """The fingerprints that a site's template is learnt from. The tree is changed: what a reader does not see goes."""
    _show_noscript(document)
    return fingerprints_of(document.remove(_NOT_IN_AN_ARTICLE))


def _show_noscript(page: Document) -> None:
    """Some pages are written whole in a `noscript`, from which a script takes them."""
    for element in page.find_all("noscript"):
        if len(element.text) > _LONG_NOTE_CHARS:
            element.unwrap()


def shown_part(
    document: Document, *, main_only: bool, consume: bool = False, template: Mapping[int, float] = NO_TEMPLATE
) -> Document | Element:
    """What of a page is written: all of it, or its article."""
    if not main_only:
        return document
    page = document if consume else copy.deepcopy(document)
    _show_noscript(page)
    return article_of(page.remove(_NOT_IN_AN_ARTICLE), template)


def not_written_in(shown: Document | Element) -> frozenset[Element]:
    """What a reader does not see, and what is beside the text: numbers of lines, anchors of headings."""
    return frozenset(shown.select(_NOT_WRITTEN))
