"""A page's metadata in exports: fields beside those of pages.jsonl, columns beside Common Crawl's.

They have the names of `weft.Metadata`, but for two: `title` is the page's title element in every export, so the
headline is called `headline`; and `type` would be taken for the media type, so it is `page_type`.
"""

from __future__ import annotations

from typing import Any, Final

from weft.page import Metadata, Page

LIST_FIELDS: Final = ("authors",)
METADATA_FIELDS: Final = (
    "headline", "description", "authors", "published", "modified", "site_name", "canonical", "page_type", "image",
)  # fmt: skip


def metadata_fields(page: Page | None) -> dict[str, Any]:
    """The fields of a page; of none, all are empty."""
    told = page.metadata if page else Metadata()
    return {
        "headline": told.title,
        "description": told.description,
        "authors": list(told.authors),
        "published": told.published,
        "modified": told.modified,
        "site_name": told.site_name,
        "canonical": told.canonical,
        "page_type": told.type,
        "image": told.image,
    }
