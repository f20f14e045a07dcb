"""The parse workers: processes that archive pages and find their links.

Work goes out by credit and comes back in order. Whatever happens to a worker, its unfinished jobs are given out
again; only a page that ends several workers in a row is set aside. Each slot of the pool has a WARC file
(`warc_slots`). The worker of slot 0 is the one that reads what must be apart: large pages, suspects, and pages of hosts
that are not trusted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Generic, Protocol

import msgspec

from weft.clock import Clock
from weft.errors import DiskFull, FolderError, WeftError, WorkerFailed
from weft.logs import logger
from weft.members import COSTLY
from weft.pipeline.messages import Done, Large, Links, PageJob, RelaxJob, Setup, decode_reply
from weft.pipeline.warc_slots import WarcSlots
from weft.pipeline.work import Job, Subject
from weft.types import FoundLink, Processed, RefusedLink
from weft.url import host_of
from weft.workers.suspicion import Death
from weft.workers.worker_pool import WorkerPool
from weft.workers.worker_process import Hold, Program, Worker

_log = logger("workers")

READER_OF_LARGE_PAGES = 0
MOST_DISTRUSTED = 10_000
_ERRORS: dict[str, type[WeftError]] = {kind.__name__: kind for kind in (DiskFull, FolderError, WorkerFailed)}


class Results(Protocol[Subject]):
    """Who is told what came of jobs: the commits."""

    def found(self, links: list[FoundLink], refused: list[RefusedLink]) -> None:
        """A part of a page's links, ahead of its answer."""

    def processed(self, answers: list[tuple[Job[Subject], Processed]]) -> None:
        """Jobs are done; the answers of a worker are in the order of its file."""

    def poisoned(self, job: Job[Subject], processed: Processed | None) -> None:
        """A job ended its workers; it may have been stored unparsed."""


class _Apart(deque[Job[Subject]]):
    """Jobs for the one worker that reads what must be apart, and how much of the disk they take."""

    spooled_bytes = 0

    def append(self, job: Job[Subject]) -> None:
        self.spooled_bytes += job.spooled_bytes
        super().append(job)

    def appendleft(self, job: Job[Subject]) -> None:
        self.spooled_bytes += job.spooled_bytes
        super().appendleft(job)

    def popleft(self) -> Job[Subject]:
        job = super().popleft()
        self.spooled_bytes -= job.spooled_bytes
        return job


class ParseWorkers(Generic[Subject]):
    """Jobs on their way to workers, and the answers on their way back."""

    def __init__(self, files: WarcSlots, log: Path, slots: int, clock: Clock) -> None:
        self._files = files
        self._clock = clock
        self._results: Results[Subject]
        self._on_hang: Callable[[str], None]
        program = Program("parse workers", "weft.pipeline.worker", log)
        self.pool: WorkerPool[Job[Subject]] = WorkerPool(self, program, slots, clock)
        # Jobs that wait for credit. Filled by submit, emptied by give_out; bound: fetch slots (`Engine._behind`).
        self._waiting: deque[Job[Subject]] = deque()
        # Jobs whose worker died: each must be alone in its next one. Bound: one a death.
        self._suspects: deque[Job[Subject]] = deque()
        # Large pages. Filled by answers, emptied by give_out; bound: the budget of memory, and on disk SPOOLED_BYTES
        # (`Engine._halted_by`).
        self._large: _Apart[Subject] = _Apart()
        # Pages of hosts that are not trusted, for when their worker has nothing better to do. Filled by submit, emptied
        # by give_out; bound: as above, and hosts whose pages hang are not asked for more.
        self._distrusted: _Apart[Subject] = _Apart()
        self._distrusted_hosts: dict[str, None] = {}  # bound: MOST_DISTRUSTED, the first to come leave
        self._unfinished = 0
        self.announced = 0  # jobs that are about to be submitted; `Visits` counts them

    async def run(self, results: Results[Subject], on_hang: Callable[[str], None]) -> None:
        """Have jobs done until this is cancelled; hosts whose pages hang again and again are told to `on_hang`."""
        self._results, self._on_hang = results, on_hang
        await self.pool.run()

    def submit(self, job: Job[Subject]) -> None:
        """Have a job done; the answer goes to `Results`."""
        self._unfinished += 1
        if self._distrusted_hosts:
            self._queue_of(job).append(job)
        else:
            self._waiting.append(job)
        self.give_out()

    def waiting(self) -> int:
        """Jobs that no worker has yet. Large pages and distrusted hosts' are left out: nobody waits for them."""
        return self.announced + len(self._waiting) + len(self._suspects)

    def spooled_bytes(self) -> int:
        """How much of the disk those take that are left out there."""
        return self._large.spooled_bytes + self._distrusted.spooled_bytes

    def unfinished(self) -> int:
        """Jobs not answered yet."""
        return self.announced + self._unfinished

    # ── for the pool ───────────────────────────────────────────────────────────────────────────────────

    def set_up(self, worker: Worker[Job[Subject]]) -> Setup:
        """How the crawl is set up, and which file the worker writes."""
        return self._files.set_up(worker.slot)

    def take(self, worker: Worker[Job[Subject]], replies: list[memoryview]) -> None:
        """What a worker has done."""
        done: list[tuple[Job[Subject], Processed]] = []
        poisoned: list[tuple[Job[Subject], Processed]] = []
        parts: list[Links] = []
        for reply in map(decode_reply, replies):
            if isinstance(reply, Done):  # first: nearly all are
                job = worker.answered()
                is_poison = isinstance(job.message, PageJob) and not job.message.is_parsed
                (poisoned if is_poison else done).append((job, reply.processed))
                if reply.processed.unread is COSTLY:
                    self._distrust(job)
            elif isinstance(reply, Links):
                if reply.links or reply.refused:  # else it only shows that it is alive
                    parts.append(reply)
            elif isinstance(reply, Large):
                self._postpone(worker.answered())
            else:
                raise _ERRORS[reply.error](reply.reason)
        self._unfinished -= len(done) + len(poisoned)
        self.pool.tasks_done += len(done) + len(poisoned)
        for part in parts:  # first: an answer may leave out what was reported before it
            self._results.found(part.links, part.refused)
        for job, processed in poisoned:
            self._results.poisoned(job, processed)
        if done:
            self._results.processed(done)
        self._files.rotate_if_full(worker)

    def take_back(self, death: Death[Job[Subject]]) -> None:
        """A worker died."""
        suspect = death.suspect
        if death.is_retirement or _calls_functions(suspect):
            self._take_back_functions(death)
            return
        if death.was_hung and _host_of(suspect) in self._distrusted_hosts:  # once may be an accident
            self._on_hang(_host_of(suspect))
        self._distrust(suspect)
        for job in reversed(death.bystanders):
            self._queue_of(job).appendleft(job)
        if not death.is_to_blame:
            self._suspects.append(suspect)
        elif isinstance(suspect.message, PageJob) and suspect.message.is_parsed:
            suspect.message = msgspec.structs.replace(suspect.message, is_parsed=False)
            self._suspects.append(suspect)
        else:
            self._unfinished -= 1
            self._results.poisoned(suspect, None)

    def _take_back_functions(self, death: Death[Job[Subject]]) -> None:
        """Functions let a worker grow too much, or ended it: they are not called with this page any more.

        It need not be them: a worker may have been killed, so the suspect is tried again as others are. But what exits
        does so by itself. (1 is what Python says of any exception, weft's own included.)
        """
        suspect = death.suspect
        for job in reversed(death.bystanders):
            self._queue_of(job).appendleft(job)
        if death.is_retirement:
            self._queue_of(suspect).appendleft(suspect)
            return
        if death.is_to_blame or (death.exit_code >= 0 and death.exit_code != 1):
            assert isinstance(suspect.message, PageJob | RelaxJob)
            suspect.message = msgspec.structs.replace(suspect.message, is_called=False)
            suspect.deaths = 0
            _log.warning("the functions end their worker on %s: they are not called with it", suspect.message.link.url)
        self._suspects.append(suspect)

    def give_out(self) -> None:
        """Hand out jobs as long as there are workers that take them."""
        now = self._clock.monotonic()
        if self._suspects or self._large or self._distrusted:
            self._give_out_apart(now)
        waiting, least_busy = self._waiting, self.pool.least_busy
        while waiting and (worker := least_busy()) is not None:
            worker.send(waiting.popleft(), now)

    def _give_out_apart(self, now: float) -> None:
        """It is always the same worker: pages that hang, however many, leave the others alone."""
        reader = self.pool.workers.get(READER_OF_LARGE_PAGES)
        if reader is None:
            return
        if self._suspects:
            if reader.pending:
                reader.holds.add(Hold.APART)
            elif not reader.holds:
                reader.send_apart(self._suspects.popleft(), now)
        elif self._large and reader.has_credit():
            reader.send_apart(self._large.popleft(), now)
        elif self._distrusted and reader.has_credit() and (self.pool.active > 1 or not self._waiting):
            reader.send_apart(self._distrusted.popleft(), now)

    # ── which queue ────────────────────────────────────────────────────────────────────────────────────

    def _postpone(self, job: Job[Subject]) -> None:
        assert isinstance(job.message, PageJob)
        job.message = msgspec.structs.replace(job.message, may_be_large=True)
        self._large.append(job)

    def _distrust(self, job: Job[Subject]) -> None:
        """What follows of its host is read by one worker, one page at a time, while the others go on."""
        host = _host_of(job)
        if not host or host in self._distrusted_hosts:
            return
        self._distrusted_hosts[host] = None
        if len(self._distrusted_hosts) > MOST_DISTRUSTED:
            del self._distrusted_hosts[next(iter(self._distrusted_hosts))]
        waiting, self._waiting = self._waiting, deque()
        for one in waiting:
            self._queue_of(one).append(one)

    def _queue_of(self, job: Job[Subject]) -> deque[Job[Subject]]:
        if _host_of(job) in self._distrusted_hosts:
            return self._distrusted
        return self._large if job.is_large() else self._waiting


def _calls_functions(job: Job[Subject]) -> bool:
    return isinstance(job.message, PageJob | RelaxJob) and job.message.is_called


def _host_of(job: Job[Subject]) -> str:
    """Whose page it is; empty if it is none."""
    return host_of(job.message.link.url) if isinstance(job.message, PageJob | RelaxJob) else ""
