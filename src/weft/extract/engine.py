"""The engine of an extraction: hands out stretches, notes what is done, and makes the output at the end."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from weft.clock import Clock
from weft.errors import BadInput, DiskFull, FolderError, first_of
from weft.extract.blame import Blame, StretchTask
from weft.extract.job import ExtractJob
from weft.extract.journal import Entry
from weft.extract.messages import Beat, Done, Files, Setup, Trouble, decode_reply
from weft.extract.parts import MARK, failure_line, part_path, read_mark
from weft.extract.stretches import Place, ToDo
from weft.folder.archive_order import decode_row
from weft.in_thread import in_thread
from weft.workers.grace import Grace
from weft.workers.suspicion import Death
from weft.workers.worker_pool import WorkerPool
from weft.workers.worker_process import Program, Worker

COMMIT_S: Final = 1.0
STRETCH_S: Final = 0.25  # a stretch should take about this long
FIRST_PAGES: Final = 4
MOST_PAGES: Final = 256
SHARES_LEFT: Final = 4  # a stretch is at most this part of what is left for a worker: all end at about the same time


class Totals(msgspec.Struct):
    """What is done, in all runs of the job together."""

    pages: int = 0
    items: int = 0
    failed: int = 0
    unreadable: int = 0
    requests: int = 0

    def add(self, entry: Entry) -> None:
        """Another stretch."""
        self.pages += entry.pages
        self.items += entry.items
        self.failed += entry.failed
        self.unreadable += entry.unreadable
        self.requests += entry.requests


class Extracting:
    """Does one job. It can be run once."""

    def __init__(self, job: ExtractJob, workers: int, clock: Clock | None = None) -> None:
        self._job = job
        self._clock = clock or Clock()
        self._workers = workers
        self._grace = Grace(self._clock)
        self._to_do: ToDo | None = None
        self._pool: WorkerPool[StretchTask] | None = None
        self._blame = Blame()
        self._waiting: deque[StretchTask] = deque()  # that dead workers had; bound: their credit
        self._undone = 0  # stretches that are given out, or wait
        self._parts: dict[int, int] = {}  # of the worker in each slot
        self._entries: list[Entry] = []  # filled by answers, emptied by a commit; bound: answers of COMMIT_S
        self._serial = 0
        self._pages_at_once = FIRST_PAGES
        self._is_stopping = False
        self._may_be_over = asyncio.Event()
        self.totals = Totals()
        for entry in job.entries:
            self.totals.add(entry)
        self.before = self.totals.pages  # those of earlier runs
        self.expected: int | None = None  # pages, of all runs, once it is known
        self.is_written = False

    @property
    def out(self) -> Path:
        """The output."""
        return self._job.out

    @property
    def failed_path(self) -> Path:
        """Where it is told what failed."""
        return self._job.failed_path

    @property
    def is_failure(self) -> bool:
        """Whether there is nothing but failures."""
        return self._job.is_failure

    @property
    def worker_count(self) -> int:
        """How many workers there are."""
        return self._workers

    @property
    def worker_deaths(self) -> int:
        """How many have died."""
        return self._pool.deaths if self._pool is not None else 0

    def worker_pids(self) -> list[int]:
        """Their processes."""
        return self._pool.pids() if self._pool is not None else []

    def stop(self) -> None:
        """Begin nothing more; what is in hand is finished if that can be soon, or else left for another run."""
        self._is_stopping = True
        self._grace.begin()
        self._may_be_over.set()

    async def run(self) -> bool:
        """Do all that is left, and make the output; returns False if it was stopped before."""
        try:
            if not self._is_stopping:
                await self._extract()
            is_done = self._to_do is not None and not self._undone and not self._to_do.count
            if is_done:
                self.is_written = await in_thread(self._job.finish)
        except BaseExceptionGroup as group:
            raise first_of(group) from None
        finally:
            await asyncio.shield(in_thread(self._job.close))
        return is_done

    async def _extract(self) -> None:
        program = Program("extracting workers", "weft.extract.worker", self._job.log)
        self._pool = pool = WorkerPool(self, program, self._workers, self._clock)
        try:
            async with asyncio.TaskGroup() as group:
                running = group.create_task(pool.run())  # they start while the pages are sorted
                self._begin(await in_thread(self._job.sort))
                await self._commit_until_all_is_done()
                running.cancel()
        finally:
            await pool.close()

    def _begin(self, to_do: ToDo) -> None:
        assert self._pool is not None
        self._to_do = to_do
        self.expected = self.totals.pages + to_do.count
        self._pool.broadcast(Files(to_do.files))
        self.give_out()

    async def _commit_until_all_is_done(self) -> None:
        while not self._is_over():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._may_be_over.wait(), COMMIT_S)
            self._may_be_over.clear()
            await self._commit()
        await self._commit()

    async def _commit(self) -> None:
        entries, self._entries = self._entries, []
        if entries:
            await in_thread(self._job.commit, entries)

    def _is_over(self) -> bool:
        assert self._to_do is not None
        assert self._pool is not None
        if self._is_stopping:
            return self._grace.is_over or not any(worker.pending for worker in self._pool.workers.values())
        return not self._to_do.count and not self._undone

    # ── for the pool ───────────────────────────────────────────────────────────────────────────────────

    def set_up(self, worker: Worker[StretchTask]) -> Setup:
        """What it is to do; its part is its own."""
        part = self._parts[worker.slot] = self._job.new_part()
        files = self._to_do.files if self._to_do is not None else {}
        bounds = self._job.bounds
        return Setup(
            self._job.functions, str(part_path(self._job.folder, part)), bounds.time_s, bounds.memory_bytes, files
        )

    def take(self, worker: Worker[StretchTask], replies: list[memoryview]) -> None:
        """What came of stretches."""
        for reply in map(decode_reply, replies):
            match reply:
                case Done():
                    self._finish(worker.answered(), self._parts[worker.slot], reply)
                case Beat():
                    worker.pending[0].extra_s = reply.extra_s
                case Trouble():
                    kind = DiskFull if reply.is_full else BadInput if reply.is_bad_input else FolderError
                    raise kind(reply.sentence)

    def take_back(self, death: Death[StretchTask]) -> None:
        """A worker died: one page may be to blame, and the rest is done again."""
        task = death.suspect
        pieces, blamed = self._blame.pieces(death, read_mark(part_path(self._job.folder, task.part, MARK)))
        self._undone -= 1
        if blamed is not None:
            self._set_aside(task.file, blamed, death.how)
        again = [self._task(task.file, places) for places in pieces]
        for one in again:
            one.deaths = task.deaths
        self._waiting.extendleft(reversed([*again, *death.bystanders]))
        self._tell_if_over()

    def give_out(self) -> None:
        """Hand out stretches as long as there are workers that take them."""
        if self._pool is None or self._to_do is None:
            return
        now = self._clock.monotonic()
        while not self._is_stopping and (worker := self._pool.least_busy()) is not None:
            if (task := self._next()) is None:
                return
            task.part = self._parts[worker.slot]
            worker.send(task, now)

    def _next(self) -> StretchTask | None:
        if self._waiting:
            return self._waiting.popleft()
        assert self._to_do is not None
        fair = self._to_do.count // (SHARES_LEFT * self._workers)
        file, places = self._to_do.take(max(1, min(self._pages_at_once, fair)))
        return self._task(file, places) if places else None

    def _task(self, file: str, places: list[Place]) -> StretchTask:
        self._serial += 1
        self._undone += 1
        return StretchTask(self._serial, file, places)

    # ── what is done ───────────────────────────────────────────────────────────────────────────────────

    def _finish(self, task: StretchTask, part: int, done: Done) -> None:
        pages = done.pages
        self._enter(
            Entry(
                task.file,
                task.places[0][0],
                task.places[pages - 1][0] + 1,
                part,
                done.items_start,
                done.items_end,
                done.failed_start,
                done.failed_end,
                pages,
                done.items,
                done.failed,
                done.unreadable,
                done.requests,
            )
        )
        fitting = int(STRETCH_S * pages / max(done.took_s, 0.001))
        self._pages_at_once = max(1, min(fitting, 2 * self._pages_at_once, MOST_PAGES))
        self._undone -= 1
        if pages < len(task.places):
            self._waiting.appendleft(self._task(task.file, task.places[pages:]))
        self._tell_if_over()

    def _set_aside(self, file: str, place: Place, how: str) -> None:
        """A page that ends its workers is done as well: its call failed."""
        offset, row = place
        part, start, end = self._job.own_failure(failure_line(decode_row(row).url, how))
        self._enter(Entry(file, offset, offset + 1, part, 0, 0, start, end, 1, 0, 1, 0, 0))

    def _enter(self, entry: Entry) -> None:
        self._entries.append(entry)
        self.totals.add(entry)

    def _tell_if_over(self) -> None:
        if self._is_over():
            self._may_be_over.set()
