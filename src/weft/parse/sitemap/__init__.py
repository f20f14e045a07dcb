"""Lists of pages that a site publishes: `read` says what a file is, `markup` and `text` read its two forms."""

from __future__ import annotations

from weft.parse.sitemap.markup import SitemapPage
from weft.parse.sitemap.read import MAX_SITEMAP_BYTES, Sitemap, is_sitemap, parse_sitemap

__all__ = ["MAX_SITEMAP_BYTES", "Sitemap", "SitemapPage", "is_sitemap", "parse_sitemap"]
