"""The URLs in a style sheet, as links.

turbohtml's links() reads the plain CSS of pages (page_links.py); it knows neither escapes nor image-set, and it does
not read files. `css_spans` finds where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from weft.parse.charset import decode
from weft.parse.link_kinds import LinkPlace
from weft.parse.parsed_page import HeaderPairs, LinkList, ParsedPage
from weft.regex import regex
from weft.types import Kind

STYLE: Final = LinkPlace.of(Kind.EMBED, "style")

_CHARSET_RULE = regex(rb'@charset "([^"\n]{1,40})";')


def parse_css(
    body: bytes, url: str, content_type: str | None = None, headers: HeaderPairs = (), agent: str = "weft"
) -> ParsedPage:
    """Read a style sheet that was fetched from `url`; what it names is relative to that."""
    rule = _CHARSET_RULE.match(body)
    if "charset" not in (content_type or "").lower():
        content_type = "text/css; charset=" + (rule[1].decode("latin-1") if rule else "utf-8")
    text, charset = decode(body, content_type)
    links = LinkList().take_all(((href, STYLE) for href in css_urls(text)), url)
    return ParsedPage.of_links(links, url, charset, headers, agent)


def css_urls(text: str) -> Iterator[str]:
    """The URLs of a style sheet or of a style attribute, as they stand there, without escapes.

    Those that only name a part of the document itself, such as `url(#gradient)`, are left out.
    """
    from weft.parse.css_spans import css_spans, unescaped  # 8 ms of patterns, and most pages have no such CSS

    for start, end, _ in css_spans(text):
        url = unescaped(text[start:end])
        if url and not url.startswith("#"):
            yield url
