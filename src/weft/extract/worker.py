"""A worker of an extraction: `python -m weft.extract.worker SOCKET ENGINE_PID`.

It reads pages from the archive, calls the functions, writes what they give to its part, and answers where it lies.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from weft.crash_points import crash_point
from weft.errors import BadInput, DamagedRecord, DiskFull, FolderError
from weft.extract.messages import Beat, Done, Files, Reply, Setup, Stretch, Trouble, decode_order, decode_setup
from weft.extract.parts import FAILED, ITEMS, MARK, Mark, PartFile, failure_line, inode_of
from weft.folder.archive_order import decode_row
from weft.folder.archived import read_archived
from weft.page import Page
from weft.page.function_bounds import FunctionBounds, guard_forks
from weft.page.user_functions import UserFunctions
from weft.types import Fetched, Original, PageRow, RecordPlace
from weft.workers.inside import Tell, serve
from weft.workers.malloc import give_memory_back

KEPT_BYTES = 8 * 1024 * 1024  # of free memory
HEAVY_BYTES = 512 * 1024  # after such a page memory goes back to the system
WRITE_BYTES = 1024 * 1024  # what is held before it is written
BEAT_S = 1.0
LOOK_S = 0.02
SLOWEST_BYTES_PER_S = 500_000
MOST_TOLD_WHOLE = 100  # failures whose traceback is kept; of the others, the last line
MOST_REASON_CHARS = 500
EXIT_ROBBED = 71
SHORT_S = 10.0  # what a page may take longer without a word about it


def main() -> None:
    """Serve one engine."""
    with suppress(BrokenPipeError, ConnectionResetError):  # it was killed, and nobody wants to read about that
        serve(begin, kept_bytes=KEPT_BYTES, answers_at_once=lambda: 1)


def begin(first: memoryview, tell: Tell) -> Callable[[memoryview], Reply | None]:
    """Set up as the first message says; returns what does the stretches of the others."""
    guard_forks(int(sys.argv[1]))
    setup = decode_setup(first)
    try:
        extractor = Extractor(setup, tell)
    except BadInput as error:  # a user's code that the engine can find, and a worker cannot
        trouble = Trouble(str(error), is_bad_input=True)
        return lambda body: trouble if isinstance(decode_order(body), Stretch) else None
    return lambda body: extractor.answer(decode_order(body))


class Extractor:
    """The functions, and the part that their items go to."""

    def __init__(self, setup: Setup, tell: Tell) -> None:
        self._functions = UserFunctions(setup.functions)
        self._functions.on_failure = self._keep_failure
        self._functions.bounds = self._bounds = FunctionBounds(setup.time_s, setup.memory_bytes, lambda: tell(Beat()))
        self._looked_at = 0.0
        self._socket = int(sys.argv[1])
        self._socket_inode = inode_of(self._socket)
        self._files = setup.files
        self._tell = tell
        self._items = PartFile(Path(setup.part + ITEMS))
        self._failed = PartFile(Path(setup.part + FAILED))
        self._mark = Mark(Path(setup.part + MARK))
        self._told_at = 0.0
        self._failures = 0

    def answer(self, order: Files | Stretch) -> Reply | None:
        """Do what is asked."""
        if isinstance(order, Files):
            self._files = order.paths
            return None
        if self._bounds.has_grown():
            self._bounds.retire()
        return self._do(order)

    def _do(self, stretch: Stretch) -> Reply:
        """All pages of a stretch."""
        began = self._told_at = time.monotonic()
        items_start, failed_start = self._items.end, self._failed.end
        lines = bytearray()  # bound: WRITE_BYTES, and the items of one page
        pages = items = failed = unreadable = requests = 0
        try:
            for index, encoded in enumerate(stretch.rows):
                if index and self._should_make_room():
                    break
                pages += 1
                row = decode_row(encoded)
                self._say_that_it_goes_on(row)
                self._mark.set(stretch.serial, index)
                crash_point("extracting")
                try:
                    fetched = self._read(row)
                except DamagedRecord as error:
                    unreadable += 1
                    self._failed.append(failure_line(row.url, str(error)))
                    continue
                made = self._functions.made_of(Page(row, partial(_itself, fetched)))
                self._end_if_robbed()
                for item in made.items:
                    lines += item
                    lines += b"\n"
                items += len(made.items)
                failed += made.failed
                requests += len(made.requests)
                if len(lines) > WRITE_BYTES:
                    self._items.append(bytes(lines))
                    lines.clear()
                if row.body_bytes > HEAVY_BYTES:
                    del made, fetched
                    give_memory_back()
            self._items.append(bytes(lines))
        except DiskFull as error:
            return Trouble(str(error), is_full=True)
        except FolderError as error:
            return Trouble(str(error))
        self._mark.set(0, 0)  # whatever happens now is no page's fault
        crash_point("extracted")
        return Done(
            pages,
            items_start,
            self._items.end,
            failed_start,
            self._failed.end,
            items,
            failed,
            unreadable,
            requests,
            time.monotonic() - began,
        )

    def _keep_failure(self, name: str, url: str, words: str) -> None:
        self._failures += 1
        reason = f"{name}: {words.strip().splitlines()[-1][:MOST_REASON_CHARS]}"
        self._failed.append(failure_line(url, reason, words if self._failures <= MOST_TOLD_WHOLE else ""))

    def _read(self, row: PageRow) -> Fetched:
        original = self._place(row.original) if row.original is not None else None
        return read_archived(row.url, self._place(row), original)

    def _place(self, record: PageRow | Original) -> RecordPlace:
        return RecordPlace(self._files[record.file], record.offset, record.length)

    def _end_if_robbed(self) -> None:
        """A function that closes what is not its own ends its worker, on this page: nothing is written elsewhere."""
        if inode_of(self._socket) != self._socket_inode or not (self._items.is_ours() and self._failed.is_ours()):
            os._exit(EXIT_ROBBED)

    def _should_make_room(self) -> bool:
        """Whether functions keep more memory than they may; that is not looked at before every page."""
        now = time.monotonic()
        if now - self._looked_at < LOOK_S:
            return False
        self._looked_at = now
        return self._bounds.has_grown()

    def _say_that_it_goes_on(self, row: PageRow) -> None:
        """Now and then, and before a page that may take long."""
        extra_s = row.body_bytes / SLOWEST_BYTES_PER_S
        now = time.monotonic()
        if extra_s > SHORT_S or now - self._told_at > BEAT_S:
            self._tell(Beat(extra_s))
            self._told_at = now


def _itself(fetched: Fetched) -> Fetched:
    return fetched


if __name__ == "__main__":
    main()
