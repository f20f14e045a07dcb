"""What a response says, from bytes to links; runs in the parse workers, touches neither network nor disk.

    body ──decode──▶ text ─┬─ a page ─▶ scan, or ─┬─ base, title, meta robots             html.py, scan.py, tree.py
    (charset/)             │            tree      └─ links, each of a kind                page_links.py
                           ├─ a long page ─▶ scan, in parts: its links, a few at a time   long_page.py
                           ├─ a feed ───────▶ its entries' links                          feeds.py
                           ├─ a style sheet ▶ what it needs                               css.py
                           ├─ a manifest ───▶ its icons                                   manifest_links.py
                           └─ a script, JSON ▶ what it loads, or may                      script.py

A scan is a walk in C (`_scan.c`) that builds no tree. A tree is built for the few pages of which only that can be
sure, and for all where there was no compiler at installation. `medium_of` says what a response is, and `weft.url`
resolves the links. The web's pages are broken in every way there is, so nothing here raises because of what a page
holds: an unknown charset falls back, a broken link is left out.
"""

from __future__ import annotations

from weft.media import Medium
from weft.parse.charset import decode
from weft.parse.css import parse_css
from weft.parse.feeds import parse_feed
from weft.parse.html import parse_html
from weft.parse.link_kinds import Found
from weft.parse.long_page import LongPage
from weft.parse.manifest_links import parse_manifest
from weft.parse.parsed_page import ParsedPage
from weft.parse.robots_directives import RobotsDirectives, robots_directives
from weft.parse.scan import has_scanner
from weft.parse.script import parse_script
from weft.parse.sitemap import Sitemap, SitemapPage, is_sitemap, parse_sitemap

PARSERS = {
    Medium.PAGE: parse_html,
    Medium.FEED: parse_feed,
    Medium.STYLE_SHEET: parse_css,
    Medium.MANIFEST: parse_manifest,
}

__all__ = [
    "PARSERS",
    "Found",
    "LongPage",
    "ParsedPage",
    "RobotsDirectives",
    "Sitemap",
    "SitemapPage",
    "decode",
    "has_scanner",
    "is_sitemap",
    "parse_css",
    "parse_feed",
    "parse_html",
    "parse_manifest",
    "parse_script",
    "parse_sitemap",
    "robots_directives",
]
