"""A page's place in the archive, and what is told of the page: what `reading` and its workers say to each other."""

from __future__ import annotations

import msgspec

from weft.export.content import Content, Told, told_of
from weft.folder.archived import read_archived
from weft.folder.kept_forms import kept_forms
from weft.page import Page
from weft.parse.article import NO_TEMPLATE
from weft.parse.markdown import page_fingerprints
from weft.parse.simhash import simhash
from weft.types import PageRow, RecordPlace
from weft.url import host_of


class ContentSetup(msgspec.Struct):
    """The first message: what is wanted of pages."""

    content: Content
    has_kept_forms: bool
    templates: dict[str, dict[int, float]] = {}  # by host
    is_learning: bool = False  # instead of all else, what templates are made of


class PagePlace(msgspec.Struct, array_like=True):
    """A page to be read; `record` is None where nothing was archived."""

    row: PageRow
    record: RecordPlace | None
    original: RecordPlace | None


class PagePlaces(msgspec.Struct, array_like=True):
    """Some at once."""

    pages: list[PagePlace]


class ToldPages(msgspec.Struct, array_like=True):
    """The answer, in the same order; or why the archive cannot be read."""

    pages: list[Told]
    fault: str = ""


def read(place: PagePlace, setup: ContentSetup) -> Told:
    """What is told of one page."""
    record = place.record
    if record is None:
        return told_of(None, {}, setup.content)
    page = Page(place.row, lambda: read_archived(place.row.url, record, place.original))
    if setup.is_learning:
        return Told(simhash=simhash(page.article()), fingerprints=page_fingerprints(page.document))
    kept = {form: one.content for form, one in kept_forms(record).items()} if setup.has_kept_forms else {}
    template = setup.templates.get(host_of(place.row.url), NO_TEMPLATE) if setup.templates else NO_TEMPLATE
    return told_of(page, kept, setup.content, template)
