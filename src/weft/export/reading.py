"""Pages read for an export, in the order of their rows, by as many processes as there are cores.

    rows ──places, 20 at once──▶ worker 1, 2, … in turn ──what is told──▶ the same order

Each worker answers in the order in which it is asked, so the answers are taken in turn, too. A worker has at most
HELD_BY_A_WORKER messages, so few pages are in memory, whatever the crawl's size. Of a small export the processes would
cost more than they bring: it begins here, and they are started if there is more.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from socket import socket
from subprocess import Popen
from typing import Final

import msgspec

from weft.errors import WorkerFailed
from weft.export.content import Told
from weft.export.page_places import ContentSetup, PagePlace, PagePlaces, ToldPages, read
from weft.folder.reading import CrawlReader
from weft.types import PageRow
from weft.workers.frames import frame, received
from weft.workers.process import end, start_child

READ_HERE: Final = 200  # pages
PAGES_AT_ONCE: Final = 20
HELD_BY_A_WORKER: Final = 3

TellsOf = tuple[PageRow, Told]
_decode = msgspec.msgpack.Decoder(ToldPages).decode


def read_pages(reader: CrawlReader, rows: Iterable[PageRow], setup: ContentSetup) -> Iterator[TellsOf]:
    """Each row with what is told of its page."""
    rows = iter(rows)
    for row in islice(rows, READ_HERE):
        yield row, read(_place(reader, row), setup)
    if (another := next(rows, None)) is not None:
        yield from _by_workers(reader, chain((another,), rows), setup)


def _place(reader: CrawlReader, row: PageRow) -> PagePlace:
    return PagePlace(row, reader.place_of(row) if row.file else None, reader.original_of(row))


def _by_workers(reader: CrawlReader, rows: Iterator[PageRow], setup: ContentSetup) -> Iterator[TellsOf]:
    workers: list[_Worker] = []
    try:
        workers = [_Worker(setup) for _ in range(len(os.sched_getaffinity(0)))]
        asked: deque[tuple[_Worker, list[PageRow]]] = deque()  # filled and emptied below; bound: most_asked
        most_asked = HELD_BY_A_WORKER * len(workers)
        turn = 0
        while True:
            while len(asked) < most_asked and (some := list(islice(rows, PAGES_AT_ONCE))):
                worker = workers[turn % len(workers)]
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


class _Worker:
    """A process, and what it is asked."""

    def __init__(self, setup: ContentSetup) -> None:
        self._process: Popen[bytes]
        self._connection: socket
        self._process, self._connection = start_child("weft.export.content_worker")
        self._answers = received(self._connection)
        self._connection.sendall(frame(setup))

    def ask(self, pages: list[PagePlace]) -> None:
        """Have pages read. It is a short message, and few wait: there is room for it."""
        try:
            self._connection.sendall(frame(PagePlaces(pages)))
        except (BrokenPipeError, ConnectionResetError):
            self._failed()

    def answer(self) -> list[Told]:
        """What is told of those that it was asked for first."""
        for body, _ in self._answers:
            if body:  # else it has just become ready
                return _decode(body).pages
        self._failed()
        raise AssertionError("unreachable")

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._connection.close()
        end(self._process)

    def _failed(self) -> None:
        raise WorkerFailed(f"a process that reads pages for the export ended with {self._process.wait()}")
