"""A page's place in the archive, and what is told of the page: what `reading` and its workers say to each other."""

from __future__ import annotations

import msgspec

from weft.export.content import Content, Told, told_of
from weft.folder.archived import read_archived
from weft.folder.kept_forms import kept_forms
from weft.page import Page
from weft.types import PageRow, RecordPlace


class ContentSetup(msgspec.Struct):
    """The first message: what is wanted of pages."""

    content: Content
    has_kept_forms: bool


class PagePlace(msgspec.Struct, array_like=True):
    """A page to be read; `record` is None where nothing was archived."""

    row: PageRow
    record: RecordPlace | None
    original: RecordPlace | None


class PagePlaces(msgspec.Struct, array_like=True):
    """Some at once."""

    pages: list[PagePlace]


class ToldPages(msgspec.Struct, array_like=True):
    """The answer, in the same order."""

    pages: list[Told]


def read(place: PagePlace, setup: ContentSetup) -> Told:
    """What is told of one page."""
    record = place.record
    if record is None:
        return told_of(None, {}, setup.content)
    page = Page(place.row, lambda: read_archived(place.row.url, record, place.original))
    kept = {form: one.content for form, one in kept_forms(record).items()} if setup.has_kept_forms else {}
    return told_of(page, kept, setup.content)
