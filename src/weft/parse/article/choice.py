"""The part of a page that is its article.

Of the article alone, turbohtml finds the densest part, which in a manual may be one section of many. The article is
the smallest element around that part with nearly all prose of the page's main element, or of the whole page. Prose
is text outside links. An `article`, or what holds an `h1`, needs only half of it: comments may be the other half.
What stands around an article (menus, sidebars, comments) is taken out before, and does not count.
"""

from __future__ import annotations

import copy
from typing import Final

from turbohtml import Document, Element

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


def article_of(page: Document) -> Document | Element:
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
