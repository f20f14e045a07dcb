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

Of the article alone, turbohtml finds the densest part, which in a manual may be one section of many. The article is
the smallest element around that part with nearly all prose of the page's main element, or of the whole page. Prose
is text outside links. An `article`, or what holds an `h1`, needs only half of it: comments may be the other half.
What stands around an article (menus, sidebars, comments) is taken out before, and does not count.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Final

from turbohtml import Document, Element, Markdown, Node

from weft.parse.text import HIDDEN, UNSEEN_TAGS
from weft.url import LinkResolver

_NOT_WRITTEN: Final = ", ".join(("script", "style", *UNSEEN_TAGS, HIDDEN, 'img[src^="data:" i]', "img:not([src])"))
# A cell of Markdown is a part of a line: it cannot hold these, and no table of data does.
_LAYOUT_TABLE: Final = "table:has(table, pre, h1, h2, h3, h4, hr)"
_OPENED_BY_OTHER_PROGRAMS: Final = ("mailto:", "tel:", "sms:", "ftp:", "magnet:", "geo:", "xmpp:", "news:")
# A block may hold the whole page in spite of its name, `has-sidebar` for one, so only these very names count.
_NAMES_OF_WHAT_IS_AROUND: Final = (
    "breadcrumb", "breadcrumbs", "comment-list", "commentlist", "comments", "cookie-banner", "cookie-consent",
    "cookie-notice", "footer", "navbar", "navfooter", "navheader", "related", "sidebar",
)  # fmt: skip
_ROLES_AROUND: Final = ("banner", "complementary", "contentinfo", "dialog", "menu", "menubar", "navigation", "search")
# `[class]`, `[id]` and `[role]` say nothing new: they spare most elements the long lists.
_AROUND_AN_ARTICLE: Final = ", ".join(
    (
        "nav, aside, footer:not(article footer), header:not(:has(h1), article header, main header)",
        f"[role]:is({', '.join(f'[role={role}]' for role in _ROLES_AROUND)})",
        f":is(div, ol, section, ul)[class]:is({', '.join(f'.{name}' for name in _NAMES_OF_WHAT_IS_AROUND)})",
        f":is(div, ol, section, ul)[id]:is({', '.join(f'#{name}' for name in _NAMES_OF_WHAT_IS_AROUND)})",
    )
)
_NEARLY_ALL: Final = 0.85
_MOST_LEVELS: Final = 50  # to climb: each costs a look at all that is in it
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
    shown = _article_of(page) if main_only else page
    _make_absolute(shown, LinkResolver(base_url, charset))
    return shown.to_markdown(_STYLE)


def _article_of(page: Document) -> Document | Element:
    """The page, or the part of it that is its article. Takes out what is around it."""
    densest = page.main_content()
    if densest is None:
        rest = copy.deepcopy(page).remove(_AROUND_AN_ARTICLE)
        return rest if rest.text.strip() else page
    page.remove(_AROUND_AN_ARTICLE)
    if densest.closest("body") is None:  # it was no article, unless there is no other
        densest = page.main_content() or densest
    whole = densest.closest("main, [role=main]") or densest.closest("body")
    return densest if whole is None else _smallest_with_the_prose(densest, whole)


def _smallest_with_the_prose(densest: Element, whole: Element) -> Element:
    all_of_it = _prose_chars(whole)
    element = densest
    for _ in range(_MOST_LEVELS):
        if element is whole:
            break
        prose_chars = _prose_chars(element)
        if prose_chars >= all_of_it * _NEARLY_ALL or (prose_chars >= all_of_it / 2 and _is_headed(element)):
            return element
        if not isinstance(element.parent, Element):
            break
        element = element.parent
    return whole


def _is_headed(element: Element) -> bool:
    return element.tag == "article" or element.select_one("h1") is not None


def _prose_chars(element: Element) -> int:
    return len(element.text) - sum(len(link.text) for link in element.select("a"))


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
