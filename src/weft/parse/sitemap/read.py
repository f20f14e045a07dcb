"""Sitemaps and feeds: lists of pages that a site publishes for crawlers.

    kind                    entry     its URL                        goes to
    sitemap (urlset)        url       loc; xhtml:link rel=alternate  pages
    index (sitemapindex)    sitemap   loc                            sitemaps
    RSS 2.0, RSS 1.0 (rdf)  item      link, else guid                pages
    Atom (feed)             entry     link rel=alternate, or no rel  pages
    text                    a line    the line                       pages

What a file is, its content says and not its Content-Type: sitemaps are served under every type there is. They
are also broken in every way, so the markup is read leniently (xml_tokens.py says why and how), by the names of
its elements: a wrong namespace, or none, does not matter, and the extensions for images, videos and news stay
out by their prefixes. Every URL is given once. Nothing raises because of what a file holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Final

import msgspec

from weft.media import is_html, media_type
from weft.parse.sitemap.markup import FoundUrls, MarkupReader, SitemapPage, find_root
from weft.parse.sitemap.text import SitemapText
from weft.parse.xml_tokens import xml_tokens
from weft.regex import regex
from weft.types import Unread

MIB: Final = 1024 * 1024
# The protocol allows 50 MB, unpacked, and 50,000 URLs. More URLs than that are read: files in the wild have them.
MAX_SITEMAP_BYTES: Final = 50 * MIB
MAX_SITEMAP_URLS: Final = 250_000

_MAX_LINE_CHARS: Final = 64 * 1024
_TYPES_OF_TEXT: Final = frozenset(
    ("", "text/plain", "application/octet-stream", "application/gzip", "application/x-gzip")
)

_ROOT = regex(r"<(?:[\w.\-]+:)?(?:urlset|sitemapindex|rss|rdf|feed)(?=[\s/>])", re.IGNORECASE)
_URL_LINE = regex(r"\s*https?://\S++\s*?(?:[\r\n]|\Z)", re.IGNORECASE)


class Sitemap(msgspec.Struct, frozen=True):
    """What a sitemap names, each URL once and canonical."""

    pages: list[SitemapPage]
    sitemaps: list[str]
    unread: Unread | None = None  # why there may have been more
    empty_entries: int = 0  # that name no URL

    @property
    def is_cut(self) -> bool:
        """Whether the file ends too early, is broken or too large: there was more."""
        return self.unread not in (None, Unread.EMPTY_ENTRIES)


def is_sitemap(content_type: str | None, first_bytes: bytes) -> bool:
    """Whether it is one, or a feed, by its first bytes: a kilobyte is enough, gzip'ed or not."""
    start = "".join(SitemapText(first_bytes, content_type, MIB))
    if _ROOT.search(start):
        return find_root(xml_tokens((start,))) is not None
    return media_type(content_type) in _TYPES_OF_TEXT and _URL_LINE.match(start) is not None


def parse_sitemap(
    body: bytes,
    url: str,
    content_type: str | None = None,
    *,
    max_urls: int = MAX_SITEMAP_URLS,
    max_bytes: int = MAX_SITEMAP_BYTES,
) -> Sitemap:
    """Read the sitemap that was fetched from `url`, which is canonical; anything else returns an empty one."""
    text = SitemapText(body, content_type, max_bytes)
    found = FoundUrls(url, max_urls)
    is_whole = True
    pieces = iter(text)
    start = next(pieces, "")
    if start.lstrip().startswith("<") or _ROOT.search(start):
        is_whole = MarkupReader(found).read(xml_tokens(chain((start,), pieces)))
    elif not is_html(content_type, b""):
        _read_lines(chain((start,), pieces), text, found)
    unread = _unread(text, found, is_whole)
    return Sitemap(list(found.pages.values()), list(found.sitemaps), unread, found.empty_entries)


def _unread(text: SitemapText, found: FoundUrls, is_whole: bool) -> Unread | None:
    if found.is_full:
        return Unread.TOO_MANY_LINKS
    if text.is_over:
        return Unread.TOO_LARGE
    if text.is_cut or not is_whole:
        return Unread.BROKEN
    return Unread.EMPTY_ENTRIES if found.empty_entries else None


def _read_lines(pieces: Iterable[str], text: SitemapText, found: FoundUrls) -> None:
    held = ""
    for piece in pieces:
        *lines, held = (held + piece).replace("\r", "\n").split("\n")
        for line in lines:
            if _URL_LINE.match(line):
                found.add_page(line)
        if found.is_full:
            return
        if len(held) > _MAX_LINE_CHARS:
            held = ""
    if _URL_LINE.match(held) and not text.is_cut:
        found.add_page(held)
