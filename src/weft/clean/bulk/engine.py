"""The engine of cleaning in bulk: paper 4's design C1S1D, with as many workers as the machine has use for.

    source ──500 rows──▶ reader ──blocks of 100──▶ window ──▶ workers ──▶ window ──batches of 100──▶ sink

The main process reads and writes, and the workers, processes of their own, only clean: a page of 40 KB costs it 0.16 to
0.35 ms and a worker 0.9 ms, so one writer serves several workers, and a table never has two that wait for each other's
locks. Reading and writing block, so each has a thread; everything else happens in one event loop.
"""

from __future__ import annotations

import asyncio
import os
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from weft.clean import Form, Rules
from weft.clean.bulk.balancing import Balancing, Flow
from weft.clean.bulk.clean_workers import CleanWorkers
from weft.clean.bulk.messages import Answer, Setup
from weft.clean.bulk.ports import CleanJob, LoadsLarge, RawPage, Result, Stoppable
from weft.clean.bulk.sizes import Sizes
from weft.clean.bulk.window import PageTask, Window
from weft.clock import Clock
from weft.errors import first_of
from weft.workers.grace import Grace

Given = TypeVar("Given")


class Totals(msgspec.Struct):
    """What is done, that is, written."""

    cleaned: int = 0
    set_aside: int = 0
    read_bytes: int = 0
    written_chars: int = 0

    @property
    def pages(self) -> int:
        """All of them."""
        return self.cleaned + self.set_aside


class Cleaning:
    """Cleans all pages of a source into its sink. It can be run once."""

    def __init__(
        self, job: CleanJob, rules: Rules, form: Form, sizes: Sizes | None = None, clock: Clock | None = None
    ) -> None:
        self._job = job
        self._setup = Setup(rules, form)
        self._sizes = sizes or Sizes()
        self._window = Window(self._sizes)
        self._waiters: list[asyncio.Future[None]] = []
        self._flow = Flow()
        self._is_stopping = False
        self._clock = clock or Clock()
        self._grace = Grace(self._clock)
        self._is_read = False  # nothing more comes
        self._is_flushing = False  # a batch need not be full
        self._is_writing = False
        self._workers: CleanWorkers | None = None
        self._reader = ThreadPoolExecutor(1, "weft-clean-read")
        self._writer = ThreadPoolExecutor(1, "weft-clean-write") if job.is_parallel else self._reader
        self.totals = Totals()
        self.expected: int | None = None  # pages, once it is known
        self.peak_rss_bytes = 0  # of all processes together, as far as it was seen

    @property
    def worker_count(self) -> int:
        """How many workers there should be now."""
        return self._workers.pool.active if self._workers is not None else 0

    def worker_pids(self) -> list[int]:
        """Their processes."""
        return self._workers.pids() if self._workers is not None else []

    @property
    def worker_deaths(self) -> int:
        """How many have died."""
        return self._workers.pool.deaths if self._workers is not None else 0

    def stop(self) -> None:
        """Read no more; what is in hand is finished and written, if that can be soon, or else left for another run."""
        self._is_stopping = True
        if isinstance(self._job.source, Stoppable):
            self._job.source.stop()
        self._grace.begin()
        self._tell()

    async def run(self) -> bool:
        """Clean all; returns False if it was stopped before."""
        try:
            await self._run()
        except BaseExceptionGroup as group:
            raise first_of(group) from None
        finally:
            try:
                await asyncio.shield(self._call(self._writer, self._job.sink.close))
            finally:
                self._reader.shutdown()
                self._writer.shutdown()
        return not self._is_stopping

    async def _run(self) -> None:
        self._workers = workers = CleanWorkers(self._window, self._setup, self._sizes, self._clock, self._tell)
        balancing = Balancing(self._flow, self._window, workers.pool, self._sizes)
        async with asyncio.TaskGroup() as group:
            helpers = [group.create_task(workers.run()), group.create_task(self._watch(balancing, workers))]
            self.expected = await self._call(self._reader, self._job.source.remaining)
            reading = group.create_task(self._read(workers))
            await self._write()
            for helper in (*helpers, reading):
                helper.cancel()

    # ── reading ────────────────────────────────────────────────────────────────────────────────────────

    async def _read(self, workers: CleanWorkers) -> None:
        while not self._is_stopping:
            pages = await self._call(self._reader, self._job.source.read, self._sizes.read_rows)
            if not pages:
                break
            await self._pass_on(pages, workers)
        self._is_read = self._is_flushing = True
        self._tell()

    async def _pass_on(self, pages: Sequence[RawPage], workers: CleanWorkers) -> None:
        for block in _blocks(pages, self._sizes):
            if self._is_stopping:
                return
            size_bytes = _size_bytes(block[0])
            if size_bytes > self._sizes.large_bytes:
                await self._clean_large(block[0], workers)
            elif size_bytes > self._sizes.heavy_bytes:
                await self._until_all_is_written()
                self._add(block, workers)
                await self._until_all_is_written()
            else:
                began = time.monotonic()
                await self._until(lambda: self._window.has_room() or self._is_stopping)
                self._flow.reader_blocked_s += time.monotonic() - began
                self._add(block, workers)

    def _add(self, block: list[RawPage], workers: CleanWorkers) -> None:
        self._flow.read_pages += len(block)
        self.totals.read_bytes += sum(map(_size_bytes, block))
        self._window.add(block)
        workers.give_out()

    async def _until_all_is_written(self) -> None:
        self._is_flushing = True
        self._tell()
        await self._until(lambda: not self._window and not self._is_writing)
        self._is_flushing = False

    async def _clean_large(self, page: RawPage, workers: CleanWorkers) -> None:
        """Alone: when everything before it is written, and before anything else is read."""
        await self._until_all_is_written()
        size_bytes = _size_bytes(page)
        self.totals.read_bytes += size_bytes
        answer = Answer(reason=f"it has {size_bytes:,} bytes")
        if size_bytes <= self._sizes.largest_bytes:
            if page.left_out_bytes:
                assert isinstance(self._job.source, LoadsLarge)
                page = await self._call(self._reader, self._job.source.load, page)
            answer = await workers.clean_alone(PageTask(page))
        result = answer.result(msgspec.structs.replace(page, content=b""))
        del page
        await self._write_batch([result])

    # ── writing ────────────────────────────────────────────────────────────────────────────────────────

    async def _write(self) -> None:
        """Until all is read and written, or nothing is waited for any more."""
        while not (self._is_read and not self._window) and not self._grace.is_over:
            batch = self._window.take(is_last=self._is_flushing)
            if batch:
                await self._write_batch(batch)
                continue
            began = time.monotonic()
            await self._changed()
            self._flow.writer_idle_s += time.monotonic() - began

    async def _write_batch(self, results: list[Result]) -> None:
        self._is_writing = True
        await self._call(self._writer, self._job.sink.write, results)
        self._is_writing = False
        totals = self.totals
        for result in results:
            if result.cleaned is None:
                totals.set_aside += 1
            else:
                totals.cleaned += 1
                totals.written_chars += len(result.cleaned.content)
        self._flow.written_pages += len(results)
        self._tell()

    # ── waiting for each other ─────────────────────────────────────────────────────────────────────────

    def _tell(self) -> None:
        """Something has changed."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def _changed(self) -> None:
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not holds():
            await self._changed()

    async def _watch(self, balancing: Balancing, workers: CleanWorkers) -> None:
        while True:
            await asyncio.sleep(balancing.period_s)
            balancing.step()
            if self._grace.is_over:
                self._tell()
            self.peak_rss_bytes = max(self.peak_rss_bytes, sum(map(_rss_bytes, [os.getpid(), *workers.pids()])))

    async def _call(self, thread: ThreadPoolExecutor, function: Callable[..., Given], *arguments: object) -> Given:
        return await asyncio.get_running_loop().run_in_executor(thread, function, *arguments)


def _rss_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0


def _size_bytes(page: RawPage) -> int:
    return page.left_out_bytes or len(page.content)


def _blocks(pages: Sequence[RawPage], sizes: Sizes) -> Iterator[list[RawPage]]:
    """The pages in blocks; a heavy page is one of its own."""
    block: list[RawPage] = []
    for page in pages:
        is_heavy = _size_bytes(page) > min(sizes.heavy_bytes, sizes.large_bytes)
        if block and (is_heavy or len(block) == sizes.block_pages):
            yield block
            block = []
        if is_heavy:
            yield [page]
        else:
            block.append(page)
    if block:
        yield block
