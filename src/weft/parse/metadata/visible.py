"""What a reader sees of a page's headline, its byline and its date."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Document, Element, Text

from weft.regex import regex

_MOST: Final = 40  # elements of a kind that are looked at
_MOST_CHARS: Final = 300
_MOST_BLOCK_CHARS: Final = 2_000  # what has more is no date, whatever its name
_NEAR_CHARS: Final = 1_500  # behind the headline …
_BEFORE_CHARS: Final = 300  # … and before it
_MOST_TEXT_CHARS: Final = 30_000
# What stands beside the article. A page, or the article itself, may be called so: `has-sidebar`, `no-comments`.
_ASIDE: Final = (
    "nav, aside, blockquote, form, footer:not(article footer),"
    " :is([class*=comment i], [id*=comment i], [class*=related i], [class*=widget i], [class*=recommend i],"
    " [class*=newsletter i], [class*=teaser i], [id*=sidebar i], [id=footer], .footer,"
    " [class*=sidebar i]:not([class*=has i], [class*=with i], [class*=no i], [class*=main i]))"
    ":not(body, html, article, main, h1, h2)"
)
# Elements that hold a date, by the plainness of what says so.
_DATED: Final = (
    "time[pubdate]",
    '[class~="published"], [class*="entry-date" i], [class*="post-date" i], [class*="publish" i], [class*="pubdate" i],'
    ' [class*="postdate" i], [class*="article-date" i], [class*="article__date" i], [id*="publish" i],'
    ' [class*="dateline" i], [class*="publication" i] time',
    "article header time, main header time, article time",
    "time",
    '[class*="date" i]:not([class*="update" i], body, html), [id*="date" i]:not([id*="update" i], body, html),'
    ' [class*="datum" i], [class*="fecha" i]',
    '[class*="time" i]:not(body, html, [class*="timeline" i]), [class*="byline" i], [class*="posted" i],'
    ' [class*="meta" i]:not(body, html), [class*="info" i]:not(body, html), [class*="author" i]:not(body, html),'
    ' [class*="autor" i]',
)
_BYLINES: Final = (
    'a[rel~="author"], [rel~="author"]',
    '[class~="fn"]:not(.comment *), [class*="author-name" i], [class*="author__name" i], [class*="authorname" i],'
    ' [class*="byline-name" i], [class*="byline__name" i]',
    'a[class*="author" i], span[class*="author" i], a[href*="/author/" i], a[href*="/autor/" i]',
    '[class~="byline"], [class*="byline" i], [class~="author"], [class*="author" i], [id="author"], [class*="autor" i]',
)
_MOST_SCRIPT_CHARS: Final = 500_000
_IN_SCRIPTS: Final = (
    regex(
        r"""["'](?:datePublished|published_?[aA]t|publish(?:ed)?_?[dD]ate|pubDate)\\?["']\s?:\s?\\?["']([^"'\\]{8,40})"""
    ),
    regex(r"""["'](?:dateCreated|created_?[aA]t|created|date)\\?["']\s?:\s?\\?["']([^"'\\]{8,40})"""),
)


def headings(document: Document) -> Iterator[Element]:
    """What may be the headline: its h1, then its h2."""
    for tag in ("h1", "h2"):
        for element in islice(document.find_all(tag), _MOST):
            if element.closest("nav, aside, blockquote, footer, template, noscript") is None:
                yield element


def dated(document: Document) -> Iterator[str]:
    """The texts of elements whose names say that they hold a date, the plainest names first."""
    for selector in _DATED:
        for element in islice(document.select(selector), _MOST):
            if element.tag not in ("script", "style", "input", "select") and not _is_aside(element):
                text = text_of(element, _MOST_BLOCK_CHARS)
                if len(text) < _MOST_BLOCK_CHARS:
                    yield element.attr("datetime") or element.attr("content") or text[:_MOST_CHARS]


def bylines(document: Document) -> Iterator[list[str]]:
    """The texts of elements that name authors, by the plainness of what says so."""
    for selector in _BYLINES:
        texts = [
            text_of(element, _MOST_CHARS)
            for element in islice(document.select(selector), 10)
            if element.tag not in ("script", "style", "body", "html", "img") and not _is_aside(element)
        ]
        yield [text for text in texts if text and len(text) < 120]


def text_around(headline: Element | None) -> Iterator[str]:
    """The text behind the headline, then the one before it."""
    if headline is not None:
        yield "".join(_texts(headline.following, _NEAR_CHARS))
        yield "".join(reversed(list(_texts(headline.preceding, _BEFORE_CHARS))))


def whole_text(document: Document) -> Iterator[str]:
    """The text of the page, a stretch at a time."""
    body = document.find("body")
    if body is None:
        return
    stretch, length = [], 0
    for text in _texts(body.descendants, _MOST_TEXT_CHARS):
        stretch.append(text)
        length += len(text)
        if length > _NEAR_CHARS:
            yield "".join(stretch)
            stretch, length = [], 0
    yield "".join(stretch)


def dates_in_scripts(document: Document) -> Iterator[str]:
    """What scripts call the day of publication, or of creation."""
    most_chars = _MOST_SCRIPT_CHARS
    texts = []
    for script in islice(document.find_all("script"), 100):
        text = script.text[:most_chars]
        most_chars -= len(text)
        texts.append(text)
    for pattern in _IN_SCRIPTS:
        for text in texts:
            for found in islice(pattern.finditer(text), 3):
                yield found[1]


def text_of(element: Element, most_chars: int) -> str:
    """The beginning of the text of an element, on one line; whatever else is in it costs nothing."""
    return " ".join("".join(_texts(element.descendants, most_chars)).split())[:most_chars]


def _texts(nodes: Iterator[object], most_chars: int) -> Iterator[str]:
    for node in nodes:
        if not isinstance(node, Text) or not (words := node.data.strip()):
            continue
        parent = node.parent
        if isinstance(parent, Element) and parent.tag in ("script", "style", "noscript", "template"):
            continue
        yield words[:_MOST_CHARS] + "\n"
        most_chars -= len(words)
        if most_chars <= 0:
            return


def _is_aside(element: Element) -> bool:
    return element.closest(_ASIDE) is not None
