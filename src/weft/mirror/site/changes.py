"""What a run has changed: `changes.json`, and the files that are gone.

{"complete": true, "counts": {"new": 1, …}, "new": [{"url": …, "path": …}], "changed": […], "gone": […], "kept": […]}

unchanged   only counted
mended      unchanged on the web, but its file was not as the last run had left it, or missing
kept        no answer came, or one that says nothing about the page: it stays as it was, and `reason` says why
gone        404, 410, or another place since then. After a run that was not complete the files are still there
unasked     after such a run: not asked yet; only counted
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from weft.config import CrawlConfig
from weft.errors import told_in_words
from weft.folder.history import UPDATE, earlier_row, has_content
from weft.folder.page_rows import decode_page
from weft.in_thread import never, until_halted
from weft.mirror.paths import Paths
from weft.mirror.rows import why_kept
from weft.mirror.site.known import file_of
from weft.mirror.site.saving import Saving, saving_before
from weft.state import State
from weft.url import is_own_request, url_id
from weft.whole_file import appearing_whole

LISTED = ("new", "changed", "mended", "gone", "kept")
COUNTED = (*LISTED, "unchanged", "unasked")

_encode = msgspec.json.Encoder().encode


class Change(msgspec.Struct, omit_defaults=True):
    """A URL in one of the lists."""

    url: str
    path: str
    reason: str = ""


class Changes:
    """What is different from before this run, found again whenever it is asked for: nothing is held in memory."""

    def __init__(self, state: State, config: CrawlConfig, mended: Container[bytes] = ()) -> None:
        self._state = state
        self._mended = mended  # ids of URLs
        self._is_file = Saving(config).is_file
        self._was_file = saving_before(state, config).is_file
        self._is_update = state.get("meta", UPDATE) is not None
        self._paths = Paths(_ReadOnlyRows(state))

    def each(self, sort: str) -> Iterator[Change]:
        """Those of a sort."""
        for found, url, reason in self._all():
            if found == sort:
                yield Change(url, self._paths.known(url) or self._shared_file(url), reason)

    def _shared_file(self, url: str) -> str:
        """Of a page that has its file by its other name, / or /index.html; empty if it has none any more."""
        return file_of(self._state, url_id(url)) or ""

    def _all(self) -> Iterator[tuple[str, str, str]]:
        """Every URL that is, or was, a file: its sort, itself, and why it is kept."""
        for row_id, row in self._state.scan("page"):
            page = decode_page(row)
            if is_own_request(page.parts):
                continue
            earlier = earlier_row(self._state, row_id) if self._is_update else None
            was_file = earlier is not None and self._was_file(earlier.page)
            if not (was_file or self._is_file(page)):
                continue
            if not was_file or earlier is None:
                yield "new", page.url, ""
            elif has_content(page) and not self._is_file(page):
                yield "gone", page.url, ""  # by the user's rules
            elif (reason := why_kept(self._state, row_id)) is not None:
                yield "kept", page.url, reason
            elif not self._is_file(page):
                yield "gone", page.url, ""
            elif page.digest != earlier.page.digest:
                yield "changed", page.url, ""
            else:
                yield ("mended" if row_id in self._mended else "unchanged"), page.url, ""
        if self._is_update:
            for row_id, _ in self._state.scan("earlier"):
                earlier = earlier_row(self._state, row_id)
                if earlier is not None and self._was_file(earlier.page) and self._state.get("page", row_id) is None:
                    yield "unasked", earlier.page.url, ""

    def counts(self, is_halted: Callable[[], bool] = never) -> dict[str, int]:
        """How many there are of each sort."""
        found = Counter(sort for sort, _, _ in until_halted(self._all(), is_halted))
        return {sort: found[sort] for sort in COUNTED}

    def gone(self) -> Iterator[str]:
        """The files of what is gone; what had its file by another name leaves it to that."""
        return (change.path for change in self.each("gone") if change.path)

    def write(self, path: Path, counts: dict[str, int], *, is_complete: bool) -> None:
        """Write changes.json, whole or not at all."""
        with told_in_words(path), appearing_whole(path) as file:
            file.write(b'{"complete": %b,\n"counts": %b' % (_encode(is_complete), _encode(counts)))
            for sort in LISTED:
                file.write(b',\n"%b": [' % sort.encode())
                if counts[sort]:  # each list takes a walk through all pages
                    self._write_list(file, sort)
                file.write(b"]")
            file.write(b"}\n")

    def _write_list(self, file: BinaryIO, sort: str) -> None:
        separator = b"\n"
        for change in self.each(sort):
            file.write(separator + _encode(change))
            separator = b",\n"


class _ReadOnlyRows:
    def __init__(self, state: State) -> None:
        self.get: Callable[[bytes], bytes | None] = lambda key: state.get("mirror", key)

    def put(self, key: bytes, value: bytes) -> None:
        raise AssertionError("paths are given by `placing`")
