"""A writer: `python -m weft.mirror.site.writer SOCKET PARENT_PID`.

When it is told its share of the URLs it makes their files, and tells how far it is: now and then.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from email.utils import formatdate
from itertools import islice
from pathlib import Path

from weft.errors import DamagedRecord, DiskFull, WeftError
from weft.fetch import Flaw, decode_response
from weft.folder.history import UPDATE
from weft.folder.layout import CRAWL_FOLDER
from weft.folder.reading import CrawlReader
from weft.mirror.by_scripts import needs_scripts
from weft.mirror.links import Local, Remote, Target
from weft.mirror.paths import relative_link
from weft.mirror.rewrite import KnownLinks, rewrite
from weft.mirror.rows import FILES_AT, folder_number, is_damaged
from weft.mirror.site.bodies import UnpacksTooFar, unpacked_limit, unpacked_pieces
from weft.mirror.site.disk_file import MirrorFiles
from weft.mirror.site.known import KnownUrl, file_of, files_by_path, known_row, links_are_the_same
from weft.mirror.site.messages import Share, Told, decode_share
from weft.mirror.site.saving import saving_before
from weft.mirror.site.targets import Targets
from weft.mirror.site.versions import Version
from weft.mirror.syntax import Syntax, may_have_links, syntax_in
from weft.page.bodies import body_pieces
from weft.parse import decode
from weft.parse.charset.labels import label_of_header
from weft.types import Fetched, PageRow
from weft.url import url_id
from weft.workers.frames import frame, received
from weft.workers.process import begin_worker

MIB = 1024 * 1024
# Beyond this a file is not looked at for links, and goes to the disk in pieces.
LARGEST_IN_MEMORY_BYTES = 32 * MIB
PLAIN_IN_MEMORY_BYTES = 1 * MIB
TELL_EVERY_FILES = 64
URLS_PER_GROUP = 64
# That pages of a folder have in common. Filled by rewriting, emptied when it is full or another folder comes. With
# more, a large folder would take more memory than a small one.
REMEMBERED_LINKS = 4_000


class Writer:
    """Makes files of archived responses."""

    def __init__(self, crawl: CrawlReader, files: MirrorFiles, told: Told) -> None:
        self._crawl = crawl
        self._files = files
        self._told = told
        self._targets = Targets(crawl.state, crawl.config)
        self._links_are_the_same = links_are_the_same(crawl.state)
        self._was_file = saving_before(crawl.state, crawl.config).is_file
        right_at_ns = int(crawl.state.get("meta", FILES_AT) or 0)
        # A clock that was set back gives a file that is changed now an earlier time: then no file is taken for granted.
        self._right_at_ns = right_at_ns if right_at_ns <= time.time_ns() else 0
        self._same_folder: tuple[str | None, bool] = (None, False)  # the last, and whether it is that of the last run
        self._shared = KnownLinks()
        self._shared_in = ("", "", "")  # folder on the web, folder on the disk, charset

    def write(self, known: KnownUrl, path: str) -> bool:
        """Make the file of a URL; returns whether it was not there so. One that the archive has no longer is left."""
        try:
            return self._write(known, path)
        except DamagedRecord:
            self._told.damaged.add(known.page.url)
            self._told.damaged_ids.append(known.id)
            return False

    def _write(self, known: KnownUrl, path: str) -> bool:
        may_change = may_have_links(known.page)
        was_file = known.earlier is not None and self._was_file(known.earlier)
        is_as_left = was_file and self._is_as_left(known, path)
        if is_as_left and known.page == known.earlier and (self._links_are_the_same or not may_change):
            return False
        is_written = self._save(known, path, may_change, was_file)
        if is_written and not is_as_left and known.earlier is not None and known.page.digest == known.earlier.digest:
            self._told.mended_ids.append(known.id)
        return is_written

    def _is_as_left(self, known: KnownUrl, path: str) -> bool:
        """Whether the file is as it was when all files were right, which it was, too."""
        is_untouched = self._files.is_untouched(path, self._right_at_ns) and self._is_same_folder(path)
        return is_untouched and not is_damaged(self._crawl.state, known.id)

    def _is_same_folder(self, path: str) -> bool:
        """Whether no other folder was moved to the place of a file's own; files of one come one after the other."""
        folder = path.rpartition("/")[0]
        if folder != self._same_folder[0]:
            number = folder_number(self._crawl.state, folder)
            self._same_folder = folder, number is not None and number == self._files.folder_number(folder)
        return self._same_folder[1]

    def _save(self, known: KnownUrl, path: str, may_change: bool, was_file: bool) -> bool:
        last_modified = (known.note.last_modified if known.note is not None else b"") or _date(known)
        try:
            content = self._content(known, path, may_change)
            return self._files.save(path, content, last_modified, keeps_old=was_file)
        except UnpacksTooFar:
            self._told.kept_packed.add(known.page.url)
            as_it_came = body_pieces(self._beginning(known.page), keeps_codings=True)
            return self._files.save(path, as_it_came, last_modified, keeps_old=was_file)

    def _content(self, known: KnownUrl, path: str, may_change: bool) -> bytes | Iterable[bytes]:
        page = known.page
        limit_bytes = unpacked_limit(page.body_bytes, self._crawl.config)
        if page.body_bytes > (LARGEST_IN_MEMORY_BYTES if may_change else PLAIN_IN_MEMORY_BYTES):
            return unpacked_pieces(self._beginning(page), limit_bytes)
        fetched = self._crawl.response(page)
        body, flaw = decode_response(fetched, min(LARGEST_IN_MEMORY_BYTES, limit_bytes))
        if flaw is Flaw.COSTLY:
            raise UnpacksTooFar(page.url)
        if flaw is Flaw.OVER_LIMIT:
            return unpacked_pieces(self._beginning(page), limit_bytes)
        try:
            return self._rewritten(page, path, fetched, body) if may_change else body
        except (WeftError, OSError, MemoryError):
            raise
        except Exception:  # a fault of weft's: the archive would bring it again in every run, and no mirror would end
            self._told.not_rewritten.add(page.url)
            return body

    def _rewritten(self, page: PageRow, path: str, fetched: Fetched, body: bytes) -> bytes:
        syntax = syntax_in(page, body)
        if syntax is None:
            return body
        if syntax is Syntax.HTML and needs_scripts(body) is not None:
            self._told.by_scripts.add(page.url)
        header = fetched.header(b"content-type")
        content_type = None if header is None else header.decode("utf-8", "replace")
        charset = page.charset or decode(body, content_type)[1]
        target = _seen_from(path, self._targets.path_of)
        shared = self._shared_by(page.url, path, charset)
        return rewrite(body, syntax, charset, page.url, target, label_of_header(content_type), shared).body

    def _beginning(self, page: PageRow) -> Fetched:
        """A response whose body is read in pieces from the archive, unless it is short."""
        return self._crawl.response(page, PLAIN_IN_MEMORY_BYTES)

    def _shared_by(self, url: str, path: str, charset: str) -> KnownLinks:
        """What the pages of a folder have in common; those of another folder begin again."""
        folder = (url.partition("?")[0].rpartition("/")[0], path.rpartition("/")[0], charset)
        if folder != self._shared_in or len(self._shared) > REMEMBERED_LINKS:
            self._shared_in = folder
            self._shared = KnownLinks()
        return self._shared


def write_share(share: Share, tell: Callable[[Told], None]) -> None:
    """Make the files of one group of URLs in `shards`. Those of a group are neighbours, and share what they know."""
    root = Path(share.root)
    with CrawlReader(root / CRAWL_FOLDER) as crawl:
        state = crawl.state
        told = Told()
        writer = Writer(crawl, MirrorFiles(root, Version(root, share.version) if share.version else None), told)
        is_update = state.get("meta", UPDATE) is not None
        for number, url in enumerate(files_by_path(state)):
            if number // URLS_PER_GROUP % share.shards != share.shard:
                continue
            known = known_row(state, url_id(url), is_update=is_update, is_complete=share.is_complete)
            if known is None or (path := file_of(state, known.id)) is None:
                continue
            told.files += 1
            told.written += writer.write(known, path)
            if told.files % TELL_EVERY_FILES == 0:
                tell(told)
                told.forget_ids()
        tell(told)


def main() -> None:
    """Do a writer's share; it ends with the process that started it."""
    connection = begin_worker()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # in order: no half of a file is left

    def tell(told: Told) -> None:
        connection.sendall(frame(told))

    for body, _ in islice(received(connection), 1):
        try:
            write_share(decode_share(body), tell)
        except WeftError as error:
            tell(Told(error=str(error), is_disk_full=isinstance(error, DiskFull)))
    os._exit(0)  # all is said: the run would wait for what Python tidies up


def _seen_from(path: str, path_of: Callable[[str], str | None]) -> Target:
    """The targets of the links of one file."""

    def target(url: str) -> Local | Remote:
        found = path_of(url)
        return Remote(url) if found is None else Local(relative_link(path, found))

    return target


def _date(known: KnownUrl) -> bytes:
    """Where the server tells no time, that of the first answer: an update that finds the same must not change it."""
    return formatdate(known.page.fetched_at, usegmt=True).encode()


if __name__ == "__main__":
    main()
