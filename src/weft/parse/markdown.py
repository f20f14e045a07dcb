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
from collections.abc import Iterator
from typing import Final

from turbohtml import Document, Element, Markdown, Node

from weft.parse.article import article_of
from weft.parse.text import HIDDEN, UNSEEN_TAGS
from weft.url import LinkResolver

_NOT_WRITTEN: Final = ", ".join(("script", "style", *UNSEEN_TAGS, HIDDEN, 'img[src^="data:" i]', "img:not([src])"))
# A cell of Markdown is a part of a line: it cannot hold these, and no table of data does.
_LAYOUT_TABLE: Final = "table:has(table, pre, h1, h2, h3, h4, hr)"
_OPENED_BY_OTHER_PROGRAMS: Final = ("mailto:", "tel:", "sms:", "ftp:", "magnet:", "geo:", "xmpp:", "news:")
_STYLE: Final = Markdown(tables=Markdown.Tables(cell_blocks="text"))


def page_markdown(
    document: Document, base_url: str, *, charset: str = "utf-8", main_only: bool = False, consume: bool = False
) -> str:
    """The whole page, or with `main_only` its article, without navigation and the like where they can be told apart.

    `base_url` is canonical, and `charset` is the one in which the page writes the queries of its links; both are
    what `parse_html` found. The document is left as it is. A caller who needs it no more lets `consume` spare the
    copy: of the tree, only what is written is sure to be there afterwards.
    """
    page = (document if consume else copy.deepcopy(document)).remove(_NOT_WRITTEN)
    for table in page.select(_LAYOUT_TABLE):
        _unfold(table)
    shown = article_of(page) if main_only else page
    _make_absolute(shown, LinkResolver(base_url, charset))
    return shown.to_markdown(_STYLE)


def _unfold(table: Element) -> None:
    """Make blocks of a table's parts, but not of a table in one of its cells."""
    for group in _elements_in(table):
        for row in _elements_in(group):
            for cell in _elements_in(row):
                cell.tag = "div"
            row.tag = "div"
        group.tag = "div"
    table.tag = "div"


def _elements_in(node: Node) -> Iterator[Element]:
    return (child for child in node if isinstance(child, Element))


def _make_absolute(shown: Document | Element, resolver: LinkResolver) -> None:
    for link in shown.select("a[href]"):
        url = _absolute(link.attr("href") or "", resolver)
        if url is None:
            link.unwrap()
        else:
            link.attrs["href"] = url
    for image in shown.select("img[src]"):
        if (url := _absolute(image.attr("src") or "", resolver)) is None:
            image.decompose()
        else:
            image.attrs["src"] = url


def _absolute(href: str, resolver: LinkResolver) -> str | None:
    href = href.strip()
    url = resolver.resolve(href)
    if url is None:
        return href if href.lower().startswith(_OPENED_BY_OTHER_PROGRAMS) else None
    _, mark, fragment = href.partition("#")
    return url + mark + fragment if fragment else url
