"""Which answer of a URL counts for the files, and what was noted of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from weft._version import __version__
from weft.folder.history import GONE, UPDATE, EarlierRow, decode_earlier, earlier_row, has_content
from weft.folder.page_rows import decode_page
from weft.mirror.rows import FILE, LINKS, TARGET, note_of
from weft.state import State
from weft.types import AnswerNote, PageRow
from weft.url import is_own_request


class KnownUrl(NamedTuple):
    """A URL as the files should show it."""

    id: bytes
    page: PageRow
    note: AnswerNote | None
    earlier: PageRow | None  # as it was before the update, if one is under way


def known_rows(state: State, *, is_complete: bool) -> Iterator[KnownUrl]:
    """Each URL once, by id."""
    is_update = state.get("meta", UPDATE) is not None
    for url_id, row in state.scan("page"):
        earlier = earlier_row(state, url_id) if is_update else None
        page = decode_page(row)
        if not is_own_request(page.parts):  # what was posted is no file: its URL is that of another page, or of none
            yield _known(state, url_id, page, earlier, is_complete)
    if is_update:
        for url_id, row in state.scan("earlier"):
            if state.get("page", url_id) is None:
                yield _as_before(url_id, decode_earlier(row))


def known_row(state: State, url_id: bytes, *, is_update: bool, is_complete: bool) -> KnownUrl | None:
    """One URL; None if it was never asked."""
    earlier = earlier_row(state, url_id) if is_update else None
    row = state.get("page", url_id)
    if row is not None:
        return _known(state, url_id, decode_page(row), earlier, is_complete)
    return _as_before(url_id, earlier) if earlier is not None else None


def _known(state: State, url_id: bytes, page: PageRow, earlier: EarlierRow | None, is_complete: bool) -> KnownUrl:
    """After an update that is not complete, what is gone is as it was, and so is what was not asked yet."""
    if earlier is None:
        return KnownUrl(url_id, page, note_of(state, url_id), None)
    if not is_complete and page.status in GONE and has_content(earlier.page):
        return _as_before(url_id, earlier)
    note = earlier.note if page == earlier.page else note_of(state, url_id)
    return KnownUrl(url_id, page, note, earlier.page)


def _as_before(url_id: bytes, earlier: EarlierRow) -> KnownUrl:
    return KnownUrl(url_id, earlier.page, earlier.note, earlier.page)


def files_by_path(state: State) -> Iterator[str]:
    """The URLs that ever had a file, in the order of their paths: those of a folder together."""
    for _, row in state.scan("mirror", b"p", b"q"):
        if row[:1] == b"f":
            yield row[1:].decode()


def links_are_the_same(state: State) -> bool:
    """Whether a page that has not changed need not be written again: no link of any page has another meaning now."""
    return state.get("meta", LINKS) == __version__.encode()


def file_of(state: State, url_id: bytes) -> str | None:
    """The file of a URL, if it is to have one now."""
    row = state.get("mirror", TARGET + url_id)
    return row[1:].decode() if row is not None and row[:1] == FILE else None
