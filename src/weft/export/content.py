"""What is told of a page's content, when more is asked for than the index knows."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.export.metadata_fields import metadata_fields
from weft.folder.kept_form import kept_form
from weft.folder.reading import CrawlReader
from weft.types import PageRow


class Content(msgspec.Struct, frozen=True):
    """The forms of a page's content that are wanted. Each of them means that the page is read from the archive."""

    text: bool = False
    markdown: bool = False
    html: bool = False
    cleaned: bool = False  # as `crawl --clean` kept it

    def is_wanted(self) -> bool:
        """Whether pages must be read at all."""
        return self.text or self.markdown or self.html or self.cleaned

    def of(self, reader: CrawlReader, row: PageRow) -> dict[str, Any]:
        """The wanted forms, the page's language and metadata; empty when nothing was archived, or no text."""
        page = reader.page(row) if row.file else None
        told = {"language": page.language if page else "", **metadata_fields(page)}
        if self.text:
            told["text"] = page.text if page else ""
        if self.markdown:
            told["markdown"] = page.markdown() if page else ""
        if self.html:
            told["html"] = page.html if page else ""
        if self.cleaned:
            kept = kept_form(reader, row)
            told["cleaned"] = kept.content if kept else ""
        return told
