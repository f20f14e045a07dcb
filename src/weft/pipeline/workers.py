"""The parse workers: processes that archive pages and find their links.

Work goes out by credit and comes back in order. Whatever happens to a worker, its unfinished jobs are given out
again; only a page that ends several workers in a row is set aside.

There are `slots`, each with a WARC file, and in the first `active` of them a worker is kept alive. `resize` changes
that number at any time: a worker that is no longer wanted gets no more jobs, finishes those that it has, and ends.
Its file stays open, and the next worker of the slot goes on in it, once the one before has ended. Slot 0 is always
active: its worker is the one that reads large pages.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Generic

import msgspec

from weft.clock import Clock
from weft.errors import DiskFull, WorkerFailed
from weft.pipeline.messages import Done, Large, Links, Message, PageJob, Ready, RelaxJob, Reply, Setup, UseFile
from weft.pipeline.worker_process import CREDIT_BYTES, CREDIT_JOBS, HANG_AFTER_S, Job, Subject, Worker, end, start
from weft.store import Archive, OpenFile
from weft.types import FoundLink, Processed, RefusedLink, Unread
from weft.url import host_of

__all__ = ["CREDIT_JOBS", "DEATHS_TO_BLAME", "HANG_AFTER_S", "Job", "PoolReading", "WorkerPool"]

# Workers that may die with the same page in hand before the page is blamed: a single death may have other causes.
DEATHS_TO_BLAME = 3
HANG_COUNTS_AS_DEATHS = 2  # it takes long enough to see, and nobody else is likely to be the cause
STARTS_TO_GIVE_UP = 3
# Only slot 0 ends the crawl by that, since nothing goes without it. The others try again later: memory may be short.
START_AGAIN_AFTER_S = 30.0
READER_OF_LARGE_PAGES = 0
MOST_DISTRUSTED = 10_000


class PoolReading(msgspec.Struct, frozen=True):
    """What the pool did since it was read before, and how it stands."""

    jobs_done: int
    idle_s: float  # of all workers together: they were ready, and had nothing to do
    waiting_jobs: int  # no worker has them yet; without large pages
    waiting_bytes: int
    pending_jobs: int  # workers have them
    active: int  # slots in which a worker is wanted
    ready: int  # workers that take jobs: the others start, or leave


class WorkerPool(Generic[Subject]):
    """Slots, each with a WARC file and, as long as one is wanted, a worker."""

    def __init__(
        self,
        *,
        slots: int,
        archive: Archive,
        clock: Clock,
        log: Path,
        setup: Callable[[OpenFile], Setup],
        on_links: Callable[[list[FoundLink], list[RefusedLink]], None],
        on_done: Callable[[list[tuple[Job[Subject], Processed]]], None],
        on_poison: Callable[[Job[Subject], Processed | None], None],
        on_failure: Callable[[Exception], None],
        on_hang: Callable[[str], None] = lambda host: None,
        active: int | None = None,
        start_again_after_s: float = START_AGAIN_AFTER_S,
    ) -> None:
        self.slots = slots  # the most workers that there can be
        self.active = slots  # how many are wanted now
        self._archive = archive
        self._clock = clock
        self._log = log
        self._setup = setup
        self._on_links = on_links
        self._on_done = on_done
        self._on_poison = on_poison
        self._on_failure = on_failure
        self._on_hang = on_hang
        self._start_again_after_s = start_again_after_s
        self._workers: dict[int, Worker[Subject]] = {}  # by slot, until their process has ended
        self._wanted = [asyncio.Event() for _ in range(slots)]  # by slot; set for all when the pool is closed
        # Jobs that wait for credit. Filled by submit, emptied by dispatch; bound: fetch slots (`Engine._behind`).
        self._waiting: deque[Job[Subject]] = deque()
        # Jobs whose worker died: each must be alone in its next one. Bound: one a death.
        self._suspects: deque[Job[Subject]] = deque()
        # Large pages, for the worker of slot 0. Filled by answers, emptied by dispatch; bound: the budget of
        # memory, and what is spooled.
        self._large: deque[Job[Subject]] = deque()
        # Pages of hosts that are not trusted, for the same worker when it has nothing better to do. Filled by submit,
        # emptied by dispatch; bound: as above, and hosts whose pages hang are not asked for more.
        self._distrusted: deque[Job[Subject]] = deque()
        self._distrusted_hosts: dict[str, None] = {}  # bound: MOST_DISTRUSTED, the first to come leave
        self._unfinished = 0
        self._done = 0  # since the last reading
        self._is_closing = False
        self._has_failed = False
        self.deaths = 0
        self.resize(slots if active is None else active)

    def resize(self, count: int) -> None:
        """Want so many workers: at least one, at most one a slot. They come and go while the work goes on."""
        if self._is_closing:
            return
        self.active = max(1, min(count, self.slots))
        for slot, wanted in enumerate(self._wanted):
            if slot < self.active:
                wanted.set()
            else:
                wanted.clear()
        for worker in self._workers.values():
            worker.change(is_leaving=worker.slot >= self.active)  # one that was about to leave may stay
            self._close_if_done(worker)
        self._dispatch()

    async def run_slot(self, slot: int) -> None:
        """Keep a worker alive in the slot whenever one is wanted, until the pool is closed."""
        failed_starts = 0
        while await self._is_wanted(slot):
            trouble = await self._serve(slot)
            failed_starts = failed_starts + 1 if trouble else 0
            if failed_starts == STARTS_TO_GIVE_UP:
                if slot == READER_OF_LARGE_PAGES:
                    raise WorkerFailed(f"parse workers end at once ({trouble}); see {self._log}")
                await asyncio.sleep(self._start_again_after_s)
                failed_starts = 0

    def submit(self, job: Job[Subject]) -> None:
        """Have a job done; the answer comes through on_done, in file order."""
        self._unfinished += 1
        if self._distrusted_hosts:
            self._queue_of(job).append(job)
        else:
            self._waiting.append(job)
        self._dispatch()

    def broadcast(self, message: Message) -> None:
        """Tell all workers something; those still to come hear it in their Setup."""
        for worker in self._workers.values():
            worker.tell(message)

    def waiting(self) -> int:
        """Jobs that no worker has yet. Large pages are left out: they wait for each other, and nobody for them."""
        return len(self._waiting) + len(self._suspects)

    def unfinished(self) -> int:
        """Jobs not answered yet."""
        return self._unfinished

    def pids(self) -> list[int]:
        """The workers' processes, also those of workers about to leave."""
        return [worker.process.pid for worker in self._workers.values()]

    def reading(self) -> PoolReading:
        """What the balancer wants to know; what is counted begins anew."""
        now = self._clock.monotonic()
        staying = [worker for worker in self._workers.values() if not (worker.is_leaving or worker.is_closed)]
        done, self._done = self._done, 0
        return PoolReading(
            jobs_done=done,
            idle_s=sum(worker.take_idle_s(now) for worker in staying),
            waiting_jobs=self.waiting(),
            waiting_bytes=sum(job.size for job in self._waiting) + sum(job.size for job in self._suspects),
            pending_jobs=sum(len(worker.pending) for worker in self._workers.values()),
            active=self.active,
            ready=sum(worker.takes_jobs for worker in staying),
        )

    def end_hung_workers(self) -> None:
        """Kill workers that have been silent for longer than their job can take; their death is then handled as any."""
        now = self._clock.monotonic()
        for worker in self._workers.values():
            if worker.seems_hung(now):
                worker.was_hung = True
                worker.process.kill()

    async def close(self) -> None:
        """End all workers; jobs not answered stay in the queue on disk, so one that has any is not waited for."""
        self._is_closing = True
        for wanted in self._wanted:
            wanted.set()
        workers = list(self._workers.values())
        for worker in workers:
            worker.close()
            if worker.pending or not worker.is_ready:
                worker.process.kill()
        await asyncio.gather(*(asyncio.to_thread(end, worker.process) for worker in workers))

    # ── answers ────────────────────────────────────────────────────────────────────────────────────────

    def _answered(self, worker: Worker[Subject], replies: list[Reply]) -> None:
        """Called by a worker's connection with what has arrived."""
        if self._has_failed:
            return  # an answer was left out: a later one would move the end of the file over its record
        done: list[tuple[Job[Subject], Processed]] = []
        poisoned: list[tuple[Job[Subject], Processed]] = []
        parts: list[Links] = []
        for reply in replies:
            if isinstance(reply, Done):  # first: nearly all are
                job = worker.answered()
                is_poison = isinstance(job.message, PageJob) and not job.message.is_parsed
                (poisoned if is_poison else done).append((job, reply.processed))
                if reply.processed.unread is Unread.COSTLY:
                    self._distrust(job)
            elif isinstance(reply, Links):
                if reply.links or reply.refused:  # else it only shows that it is alive
                    parts.append(reply)
            elif isinstance(reply, Large):
                self._postpone(worker.answered())
            elif isinstance(reply, Ready):
                worker.change(is_ready=True)
            else:
                self._fail(DiskFull(reply.reason) if reply.is_disk_full else WorkerFailed(reply.reason))
                return
        worker.heard_of(self._clock.monotonic())
        self._unfinished -= len(done) + len(poisoned)
        self._done += len(done) + len(poisoned)
        try:
            for part in parts:  # first: an answer may leave out what was reported before it
                self._on_links(part.links, part.refused)
            for job, processed in poisoned:
                self._on_poison(job, processed)
            if done:
                self._on_done(done)
            self._rotate_if_full(worker)
            self._close_if_done(worker)
        except Exception as error:  # an error in a callback of the loop would otherwise only be logged
            self._fail(error)
            return
        self._dispatch()

    def _fail(self, error: Exception) -> None:
        self._has_failed = True
        self._on_failure(error)

    def _rotate_if_full(self, worker: Worker[Subject]) -> None:
        if worker.is_rotating or self._archive.is_full(worker.file_id):
            worker.change(is_rotating=True)
            if not worker.pending:
                self._archive.retire(worker.file_id)
                if worker.is_leaving:
                    return  # whoever comes next into the slot begins a file
                file = self._archive.file_for(worker.slot)
                worker.tell(UseFile(file))
                worker.file_id = file.id
                worker.change(is_rotating=False)

    def _close_if_done(self, worker: Worker[Subject]) -> None:
        """Let a worker go that is leaving. Before it is ready it could not tell a going engine from a dead one."""
        if worker.is_leaving and worker.is_ready and not worker.pending:
            worker.close()

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

    # ── giving out jobs ────────────────────────────────────────────────────────────────────────────────

    def _dispatch(self) -> None:
        now = self._clock.monotonic()
        is_apart = self._suspects or self._large or self._distrusted
        reserved = self._dispatch_apart(now) if is_apart else None
        waiting = self._waiting
        while waiting and (worker := self._least_busy(reserved)) is not None:
            worker.send(waiting.popleft(), now)

    def _least_busy(self, reserved: Worker[Subject] | None) -> Worker[Subject] | None:
        """The worker with credit that has the least to do. Asked for each job: hence no calls here."""
        found, least_bytes = None, CREDIT_BYTES
        for worker in self._workers.values():
            if (
                worker.pending_bytes < least_bytes
                and worker.takes_jobs
                and not worker.is_apart
                and len(worker.pending) < CREDIT_JOBS
                and worker is not reserved
            ):
                found, least_bytes = worker, worker.pending_bytes
        return found

    def _dispatch_apart(self, now: float) -> Worker[Subject] | None:
        """Jobs that want a worker for themselves; gives the one that is kept free for the next of them.

        It is always the same worker: pages that hang, however many, leave the others alone.
        """
        reader = self._workers.get(READER_OF_LARGE_PAGES)
        if reader is None:
            return None
        if self._suspects:
            if reader.is_idle():
                reader.send_apart(self._suspects.popleft(), now)
        elif self._large and reader.has_credit():
            reader.send_apart(self._large.popleft(), now)
        elif self._distrusted and reader.has_credit() and (self.active > 1 or not self._waiting):
            reader.send_apart(self._distrusted.popleft(), now)
        return reader if self._suspects else None

    # ── workers' lives ─────────────────────────────────────────────────────────────────────────────────

    async def _is_wanted(self, slot: int) -> bool:
        """Wait until a worker is wanted in the slot; False when the pool is closed instead."""
        await self._wanted[slot].wait()
        return not self._is_closing

    async def _serve(self, slot: int) -> str:
        """One worker's life. Gives what was wrong if it could not start."""
        try:
            worker: Worker[Subject] = await start(slot, self._log, self._answered)
        except OSError as error:  # no process or no descriptor is to be had
            return str(error)
        self._set_up(worker)
        await worker.ended
        if worker.is_closed:
            await asyncio.to_thread(end, worker.process)
            self._workers.pop(slot, None)
            return ""
        worker.process.kill()  # if its end of the socket is closed but it is not dead
        code = worker.process.wait()
        self._workers.pop(slot, None)
        self.deaths += 1
        self._take_back(worker)
        self._dispatch()
        return "" if worker.is_ready else f"exit code {code}"

    def _set_up(self, worker: Worker[Subject]) -> None:
        self._workers[worker.slot] = worker
        file = self._archive.file_for(worker.slot)
        worker.file_id = file.id
        worker.progress_at = self._clock.monotonic()
        worker.change(is_leaving=worker.slot >= self.active)
        worker.tell(self._setup(file))
        if self._is_closing:
            worker.close()

    def _take_back(self, worker: Worker[Subject]) -> None:
        """A worker died. It does its jobs in order, so the oldest one is the suspect and the others are bystanders."""
        if not worker.pending:
            return
        suspect, *bystanders = worker.pending
        if worker.was_hung and _host_of(suspect) in self._distrusted_hosts:  # once may be an accident
            self._on_hang(_host_of(suspect))
        self._distrust(suspect)
        for job in reversed(bystanders):
            self._queue_of(job).appendleft(job)
        suspect.deaths += HANG_COUNTS_AS_DEATHS if worker.was_hung else 1
        if suspect.deaths < DEATHS_TO_BLAME:
            self._suspects.append(suspect)
        elif isinstance(suspect.message, PageJob) and suspect.message.is_parsed:
            suspect.message = msgspec.structs.replace(suspect.message, is_parsed=False)
            self._suspects.append(suspect)
        else:
            self._unfinished -= 1
            self._on_poison(suspect, None)


def _host_of(job: Job[Subject]) -> str:
    """Whose page it is; empty if it is none."""
    return host_of(job.message.link.url) if isinstance(job.message, PageJob | RelaxJob) else ""
