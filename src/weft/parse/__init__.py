"""What a response says, from bytes to links; runs in the parse workers, touches neither network nor disk.

    body ──decode──▶ text ──turbohtml──▶ tree ──┬─ base, title, meta robots
    (charset.py)           (html.py)            └─ links, each of a kind (link_kinds.py), resolved by weft.url

The web's pages are broken in every way there is, so nothing here raises because of what a page holds: an
unknown charset falls back, a broken link is left out. Only HTML is read; `is_html` says what that is.
"""

from __future__ import annotations

from weft.parse.charset import decode
from weft.parse.html import ParsedPage, parse_html
from weft.parse.link_kinds import Found
from weft.parse.media import is_html, may_be_html, media_type
from weft.parse.robots_directives import RobotsDirectives, robots_directives
from weft.parse.sitemap import Sitemap, is_sitemap, parse_sitemap
from weft.parse.sitemap_markup import SitemapPage

__all__ = [
    "Found",
    "ParsedPage",
    "RobotsDirectives",
    "Sitemap",
    "SitemapPage",
    "decode",
    "is_html",
    "is_sitemap",
    "may_be_html",
    "media_type",
    "parse_html",
    "parse_sitemap",
    "robots_directives",
]
