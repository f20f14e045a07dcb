"""One round of the drafter: every page that is committed and has no draft gets one.

Where a link leads is told from what is known now:

    the page is there      the name that it wants, or where it redirects to
    it is queued           the name that its URL alone suggests
    neither                out of the mirror: it was refused

Each of these may turn out otherwise. The draft says what it was made by, so that the end can tell.
"""

from __future__ import annotations

import shutil
import time
from functools import lru_cache
from pathlib import Path
from typing import Final

from weft.errors import DiskFull, WeftError
from weft.folder.history import UPDATE
from weft.folder.layout import CRAWL_FOLDER
from weft.folder.page_rows import decode_page
from weft.folder.reading import CrawlReader
from weft.mirror.links import Local, Remote
from weft.mirror.note import naming_of
from weft.mirror.paths import relative_link, wanted_path
from weft.mirror.rows import note_of
from weft.mirror.site.disk_file import MirrorFiles
from weft.mirror.site.drafts import Basis, Drafts, hash_of, remove_drafts, row_hash
from weft.mirror.site.known import KnownUrl, file_of
from weft.mirror.site.saving import Saving
from weft.mirror.site.targets import MAX_REDIRECTS, REMEMBERED_URLS, Targets
from weft.mirror.site.writer import Writer
from weft.url import is_own_request, url_id

LEAST_FREE_BYTES: Final = 1 << 30  # of the disk: what is left then is for the crawl


def draft_all(root: Path, least_free_bytes: int = LEAST_FREE_BYTES) -> float | None:
    """Make drafts of what has come; returns how long it took to look for it. None: this mirror is to have none."""
    began = time.monotonic()
    try:
        with CrawlReader(root / CRAWL_FOLDER) as crawl:
            if crawl.state.get("meta", UPDATE) is None and Targets(crawl.state, crawl.config).is_by_id:
                return _Round(root, crawl, least_free_bytes).draft_all(began)
    except DiskFull:
        pass
    except (WeftError, OSError):  # the crawl has not begun, or its folder is gone: it will say so itself
        return time.monotonic() - began
    remove_drafts(root / CRAWL_FOLDER)
    return None


class _Round:
    def __init__(self, root: Path, crawl: CrawlReader, least_free_bytes: int) -> None:
        self._root = root
        self._least_free_bytes = least_free_bytes
        self._state = crawl.state
        self._is_file = Saving(crawl.config).is_file
        self._naming = naming_of(crawl.config)
        self._drafts = Drafts(crawl.path)
        self._writer = Writer(crawl, MirrorFiles(root))
        self._path_of = lru_cache(REMEMBERED_URLS)(self._expected)

    def draft_all(self, began: float) -> float:
        """Go through all pages; returns the time that did not go into drafts."""
        drafting_s = 0.0
        for page_id, row in self._state.scan("page"):
            if self._drafts.has(page_id) or file_of(self._state, page_id) is not None:
                continue  # a run before this one may have made its file
            drafting = time.monotonic()
            self._draft(page_id, row)
            drafting_s += time.monotonic() - drafting
        return time.monotonic() - began - drafting_s

    def _draft(self, page_id: bytes, row: bytes) -> None:
        page = decode_page(row)
        if is_own_request(page.parts) or not self._is_file(page):
            return
        note = note_of(self._state, page_id)
        if note is None or not note.path:
            return
        links: dict[bytes, bytes] = {}

        def target(url: str) -> Local | Remote:
            path = self._path_of(url)
            links[url_id(url)] = hash_of(path)
            return Remote(url) if path is None else Local(relative_link(note.path, path))

        body = self._writer.drafted(KnownUrl(page_id, page, note, None), note.path, target)
        is_by_scripts = bool(self._writer.by_scripts)
        self._writer.by_scripts.clear()
        if body is not None:
            in_a_row = b"".join(part for link in links.items() for part in link)
            basis = Basis(note.path, row_hash(page), in_a_row, is_by_scripts)
            if shutil.disk_usage(self._root).free < self._least_free_bytes + len(body):
                raise DiskFull("there is no room for drafts")
            self._drafts.write(page_id, body, basis)

    def _expected(self, url: str) -> str | None:
        """The file that a URL will lead to, as far as can be told."""
        for _ in range(MAX_REDIRECTS):
            page_id = url_id(url)
            row = self._state.get("page", page_id)
            if row is None:
                return self._name_alone(url) if self._state.get("seen", page_id) is not None else None
            page, note = decode_page(row), note_of(self._state, page_id)
            if note is None:
                return None
            if self._is_file(page):
                return note.path
            if not (300 <= page.status < 400 and note.redirect):
                return None
            url = note.redirect
        return None

    def _name_alone(self, url: str) -> str:
        has_ending = "." in url.partition("?")[0].rpartition("/")[2]
        return wanted_path(url, "" if has_ending else "text/html", naming=self._naming)
