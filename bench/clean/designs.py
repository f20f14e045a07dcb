"""The paper's five designs, faithful in what they do to the database and in their threads.

    design   connections         the maintaining thread (S)     the buffer               a deletion thread (D)
    A1S1D    one an operation    takes pages one by one         a queue of 10 pages      inserts pages one by one
    A1S2D    the same            the same                       two queues of 10 pages   the same, two threads
    B1S1D    a pool              as A1S1D
    B1S2D    a pool              as A1S2D
    C1S1D    a pool              takes 500 pages at a time      10 blocks of 100 pages   inserts 100 at a time

The serial ones are not the paper's. They do as A and B in one thread, where nobody waits for another's lock: they tell
what A and B lose to locks.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

import msgspec
from sqlalchemy import Engine

from bench.clean.buffers import Buffer
from bench.clean.page_tables import PageTables, engine_for
from bench.clean.pages import Page
from bench.clean.stopwatch import Stopwatch, summed

Clean = Callable[[str, str], str]  # content, url


class Design(msgspec.Struct, frozen=True):
    """One way to build the engine around the algorithm."""

    name: str
    is_pooled: bool
    deleters: int  # 0: one thread does all
    rows_read: int = 1
    rows_a_block: int = 1
    blocks_buffered: int = 10  # for each deletion thread

    @property
    def is_batched(self) -> bool:
        """Whether it goes block by block, and not page by page."""
        return self.rows_a_block > 1


DESIGNS = (
    Design("A serial", is_pooled=False, deleters=0),
    Design("A1S1D", is_pooled=False, deleters=1),
    Design("A1S2D", is_pooled=False, deleters=2),
    Design("B serial", is_pooled=True, deleters=0),
    Design("B1S1D", is_pooled=True, deleters=1),
    Design("B1S2D", is_pooled=True, deleters=2),
    Design("C1S1D", is_pooled=True, deleters=1, rows_read=500, rows_a_block=100),
)


class DesignTimes(msgspec.Struct, frozen=True):
    """What a run took, and its threads."""

    seconds: float
    maintaining: Stopwatch
    deleting: Stopwatch  # all deletion threads together
    stored_s: list[float] = []  # after the beginning: when each page, or each block of them, was stored; in order


def run_design(design: Design, database_url: str, clean: Clean) -> DesignTimes:
    """Clean all pages of the queue."""
    engine = engine_for(database_url, pooled=design.is_pooled, autocommit=not design.is_batched)
    try:
        return _run_threads(design, engine, clean) if design.deleters else _run_serially(engine, clean)
    finally:
        engine.dispose()


def _run_serially(engine: Engine, clean: Clean) -> DesignTimes:
    """What both kinds of thread do, told apart although it is one."""
    maintaining, deleting = Stopwatch(), Stopwatch()
    queue, cleaned = PageTables(engine, maintaining), PageTables(engine, deleting)
    stored: list[float] = []
    began = time.perf_counter()
    while page := queue.pop():
        cleaned.push(Page(page.url, deleting.cleaned(clean, page.content, page.url)))
        stored.append(time.perf_counter() - began)
    maintaining.whole_s = deleting.whole_s = time.perf_counter() - began
    return DesignTimes(deleting.whole_s, maintaining, deleting, stored)


def _run_threads(design: Design, engine: Engine, clean: Clean) -> DesignTimes:
    buffer: Buffer[list[Page]] = Buffer(design.deleters, design.blocks_buffered)
    maintaining = Stopwatch()
    deleting = [Stopwatch() for _ in range(design.deleters)]
    stored: list[float] = []  # filled by all deletion threads
    began = time.perf_counter()
    with ThreadPoolExecutor(1 + design.deleters) as threads:
        running = [threads.submit(_maintain, design, PageTables(engine, maintaining), buffer, maintaining)]
        running += [
            threads.submit(_delete, design, PageTables(engine, watch), buffer, number, watch, clean, stored)
            for number, watch in enumerate(deleting)
        ]
        wait(running, return_when=FIRST_EXCEPTION)
        buffer.close()  # after an error the other threads must not wait for ever
        for thread in running:
            thread.result()
    seconds = time.perf_counter() - began
    return DesignTimes(seconds, maintaining, summed(deleting), sorted(at - began for at in stored))


def _maintain(design: Design, tables: PageTables, buffer: Buffer[list[Page]], watch: Stopwatch) -> None:
    """The maintaining thread: keep the buffer full until the queue is empty."""
    with watch.running():
        while pages := _read(design, tables):
            for start in range(0, len(pages), design.rows_a_block):
                with watch.waiting():
                    buffer.push(pages[start : start + design.rows_a_block])
        buffer.close()


def _read(design: Design, tables: PageTables) -> list[Page]:
    if design.is_batched:
        return tables.pop_many(design.rows_read)
    page = tables.pop()
    return [page] if page else []


def _delete(
    design: Design,
    tables: PageTables,
    buffer: Buffer[list[Page]],
    number: int,
    watch: Stopwatch,
    clean: Clean,
    stored: list[float],
) -> None:
    """A deletion thread: clean what is in its queue."""
    with watch.running():
        while True:
            with watch.waiting():
                block = buffer.pop(number)
            if block is None:
                return
            cleaned = [Page(page.url, watch.cleaned(clean, page.content, page.url)) for page in block]
            if design.is_batched:
                tables.push_many(cleaned)
            else:
                tables.push(cleaned[0])
            stored.append(time.perf_counter())
