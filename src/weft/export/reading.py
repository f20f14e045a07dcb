"""Pages read for an export, in the order of their rows, by as many processes as there are cores.

    rows ──places, 20 at once──▶ worker 1, 2, … in turn ──what is told──▶ the same order

Each worker answers in the order in which it is asked, so the answers are taken in turn, too. A worker has at most
HELD_BY_A_WORKER messages, so few pages are in memory, whatever the crawl's size. One is started when there are pages
for it, so a small export has one. None are read in this process: a page may end, or stop for good, whoever reads it.

A process that dies, or takes too long, is started again. The pages that it was at are then read one by one; the one
that it dies of is left out as poison, as `weft.workers.suspicion` has it. So is one whose record is damaged; a file
of the archive that is missing ends the export.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from socket import socket
from typing import Final

import msgspec

from weft.cores import core_count
from weft.errors import FolderError, WorkerFailed
from weft.export.content import Told
from weft.export.page_places import ContentSetup, PagePlace, PagePlaces, ToldPages
from weft.export.tally import POISON
from weft.folder.reading import CrawlReader
from weft.types import PageRow
from weft.workers.frames import frame, received
from weft.workers.process import Child, end, start_child
from weft.workers.suspicion import DEATHS_TO_BLAME, HANG_COUNTS_AS_DEATHS
from weft.workers.worker_process import HANG_AFTER_S

PAGES_AT_ONCE: Final = 20
HELD_BY_A_WORKER: Final = 3
SLOWEST_BYTES_PER_S: Final = 100_000

TellsOf = tuple[PageRow, Told]
_decode = msgspec.msgpack.Decoder(ToldPages).decode


def read_pages(reader: CrawlReader, rows: Iterable[PageRow], setup: ContentSetup) -> Iterator[TellsOf]:
    """Each row with what is told of its page."""
    rows = iter(rows)
    workers: list[_Worker] = []
    most_workers = core_count()
    asked: deque[tuple[_Worker, list[PageRow]]] = deque()  # filled and emptied below; bound: HELD_BY_A_WORKER each
    turn = 0
    try:
        while True:
            while len(asked) < HELD_BY_A_WORKER * most_workers and (some := list(islice(rows, PAGES_AT_ONCE))):
                if len(workers) < most_workers:
                    workers.append(_Worker(setup))
                worker = workers[turn % most_workers]
                worker.ask([_place(reader, row) for row in some])
                asked.append((worker, some))
                turn += 1
            if not asked:
                return
            worker, some = asked.popleft()
            yield from zip(some, worker.answer(), strict=True)
    finally:
        for worker in workers:
            worker.close()


def _place(reader: CrawlReader, row: PageRow) -> PagePlace:
    return PagePlace(row, reader.place_of(row) if row.file else None, reader.original_of(row))


class _Worker:
    """A process, and what it is asked. It is started again when it dies."""

    def __init__(self, setup: ContentSetup) -> None:
        self._setup = setup
        self._process: Child
        self._connection: socket
        self._answers: Iterator[tuple[memoryview, bool]]
        self._asked: deque[list[PagePlace]] = deque()  # filled by ask, emptied by answer; bound: HELD_BY_A_WORKER
        self._start()

    def ask(self, pages: list[PagePlace]) -> None:
        """Have pages read. It is a short message, and few wait: there is room for it."""
        self._asked.append(pages)
        self._send(PagePlaces(pages))

    def answer(self) -> list[Told]:
        """What is told of those that it was asked for first."""
        told = self._received(self._asked[0])
        pages = self._asked.popleft()
        if told is not None:
            return told
        self._start_again()
        told = [self._told_alone(page) for page in pages]
        for others in self._asked:  # they went with the process
            self._send(PagePlaces(others))
        return told

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._connection.close()
        end(self._process)

    def _told_alone(self, page: PagePlace) -> Told:
        """One of the pages over which a process died: perhaps the one that it died of."""
        deaths = 0
        while deaths < DEATHS_TO_BLAME:
            self._send(PagePlaces([page]))
            if (told := self._received([page])) is not None:
                return told[0]
            deaths += HANG_COUNTS_AS_DEATHS if self._is_hung else 1
            self._start_again()
        return Told(left_out=POISON)

    def _received(self, pages: list[PagePlace]) -> list[Told] | None:
        """The next answer; None if the process is dead, or was killed because it took too long."""
        self._connection.settimeout(HANG_AFTER_S + sum(page.row.body_bytes for page in pages) / SLOWEST_BYTES_PER_S)
        try:
            for body, _ in self._answers:
                if body:
                    answer = _decode(body)
                    if answer.fault:
                        raise FolderError(answer.fault)
                    return answer.pages
                self._is_ready = True
        except TimeoutError:
            self._is_hung = True
            self._process.kill()
        else:
            if not self._is_ready:
                how = self._process.wait()
                raise WorkerFailed(f"a process that reads pages for the export ended with {how} before it began")
        return None

    def _send(self, message: ContentSetup | PagePlaces) -> None:
        self._connection.settimeout(None)
        with suppress(BrokenPipeError, ConnectionResetError):  # `_received` notices
            self._connection.sendall(frame(message))

    def _start(self) -> None:
        self._is_ready = self._is_hung = False
        self._process, self._connection = start_child("weft.export.content_worker")
        self._answers = received(self._connection)
        self._send(self._setup)

    def _start_again(self) -> None:
        self.close()
        self._start()
