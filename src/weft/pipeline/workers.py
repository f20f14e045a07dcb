"""The parse workers: processes that archive pages and find their links.

Work goes out by credit and comes back in order. Whatever happens to a worker, its unfinished jobs are given out
again; only a page that ends several workers in a row is set aside.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar, cast

import msgspec

from weft.clock import Clock
from weft.errors import DiskFull, WorkerFailed
from weft.pipeline.messages import (
    DnsJob,
    Failed,
    FrameReader,
    Large,
    Links,
    Message,
    PageJob,
    Ready,
    RelaxJob,
    Reply,
    Setup,
    StoreJob,
    UseFile,
    decode_reply,
    frame,
)
from weft.store import Archive, OpenFile
from weft.types import FoundLink, Processed

KIB = 1024
CREDIT_JOBS = 16
CREDIT_BYTES = 512 * KIB
# Workers that may die with the same page in hand before the page is blamed: a single death may have other causes.
DEATHS_TO_BLAME = 3
STARTS_TO_GIVE_UP = 3
HANG_AFTER_S = 60.0
SLOWEST_BYTES_PER_S = 1_000_000
END_PATIENCE_S = 5.0

Subject = TypeVar("Subject")


class Job(Generic[Subject]):
    """A message to a worker, and what the engine needs to go on with its answer."""

    __slots__ = ("deaths", "message", "size", "subject")

    def __init__(self, message: PageJob | StoreJob | RelaxJob | DnsJob, subject: Subject) -> None:
        self.message = message
        self.subject = subject
        self.deaths = 0
        body = message.fetched.body if isinstance(message, PageJob | StoreJob) else None
        self.size = len(body) if body else 0

    def patience_s(self) -> float:
        """How long a worker may take over it."""
        if isinstance(self.message, PageJob):
            return HANG_AFTER_S + self.message.fetched.body_bytes / SLOWEST_BYTES_PER_S
        return HANG_AFTER_S


class Worker(asyncio.Protocol, Generic[Subject]):
    """One worker process, from the engine's side of the socket."""

    def __init__(self, slot: int, process: subprocess.Popen[bytes], pool: WorkerPool[Subject]) -> None:
        self.slot = slot
        self.process = process
        self._pool = pool
        # Jobs in the worker's hands, oldest first. Filled by send, emptied by replies; bound: its credit.
        self.pending: deque[Job[Subject]] = deque()
        self.pending_bytes = 0
        self.is_ready = False
        self.file_id = 0
        self.is_rotating = False
        self.progress_at = 0.0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._frames = FrameReader()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._pool.answered(self, [decode_reply(body) for body in self._frames.feed(data)])

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    def has_credit(self) -> bool:
        """True when it may be given another job."""
        return self.is_available() and (
            not self.pending or (len(self.pending) < CREDIT_JOBS and self.pending_bytes < CREDIT_BYTES)
        )

    def is_available(self) -> bool:
        """True when it is set up, connected, and not about to change its file."""
        return self.is_ready and not self.is_rotating and not self._is_closing()

    def send(self, job: Job[Subject], now: float) -> None:
        """Give it a job."""
        if not self.pending:
            self.progress_at = now
        self.pending.append(job)
        self.pending_bytes += job.size
        self.tell(job.message)

    def tell(self, message: Message) -> None:
        """Send a message; one that is dying does not hear it, and its death is handled elsewhere."""
        if not self._is_closing():
            assert self._transport is not None
            self._transport.write(frame(message))

    def close(self) -> None:
        """Let it finish what it has and end."""
        if self._transport is not None:
            self._transport.close()

    def _is_closing(self) -> bool:
        return self._transport is None or self._transport.is_closing()


class WorkerPool(Generic[Subject]):
    """A fixed number of slots, each with a worker and a WARC file."""

    def __init__(
        self,
        *,
        slots: int,
        archive: Archive,
        clock: Clock,
        log: Path,
        setup: Callable[[OpenFile], Setup],
        on_links: Callable[[list[FoundLink]], None],
        on_done: Callable[[list[tuple[Job[Subject], Processed]]], None],
        on_poison: Callable[[Job[Subject], Processed | None], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        self.slots = slots
        self._archive = archive
        self._clock = clock
        self._log = log
        self._setup = setup
        self._on_links = on_links
        self._on_done = on_done
        self._on_poison = on_poison
        self._on_failure = on_failure
        self._workers: dict[int, Worker[Subject]] = {}
        # Jobs that wait for credit. Filled by submit, emptied by dispatch; bound: the engine's `parse_is_behind`.
        self._waiting: deque[Job[Subject]] = deque()
        # Jobs whose worker died: each must be alone in its next one. Bound: one a death.
        self._suspects: deque[Job[Subject]] = deque()
        # Large pages, for the worker of the last slot. Filled by answers, emptied by dispatch; bound: the budget of
        # memory, and what is spooled.
        self._large: deque[Job[Subject]] = deque()
        self._is_closing = False
        self._has_failed = False
        self.deaths = 0

    async def run_slot(self, slot: int) -> None:
        """Keep a worker alive in the slot until the pool is closed."""
        failed_starts = 0
        while not self._is_closing:
            worker = await self._start(slot)
            self._dispatch()
            await worker.ended
            self._workers.pop(slot, None)
            if self._is_closing:
                return
            worker.process.kill()  # if its end of the socket is closed but it is not dead
            code = worker.process.wait()
            self.deaths += 1
            failed_starts = 0 if worker.is_ready else failed_starts + 1
            if failed_starts == STARTS_TO_GIVE_UP:
                raise WorkerFailed(f"parse workers end at once (exit code {code}); see {self._log}")
            self._take_back(worker)

    def submit(self, job: Job[Subject]) -> None:
        """Have a job done; the answer comes through on_done, in file order."""
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
        return self.waiting() + len(self._large) + sum(len(worker.pending) for worker in self._workers.values())

    def pids(self) -> list[int]:
        """The workers' processes."""
        return [worker.process.pid for worker in self._workers.values()]

    def end_hung_workers(self) -> None:
        """Kill workers that have been silent for longer than their job can take; their death is then handled as any."""
        now = self._clock.monotonic()
        for worker in self._workers.values():
            patience_s = worker.pending[0].patience_s() if worker.pending else HANG_AFTER_S
            is_awaited = bool(worker.pending) or not worker.is_ready
            if is_awaited and now - worker.progress_at > patience_s:
                worker.process.kill()

    async def close(self) -> None:
        """End all workers; jobs not answered stay in the queue on disk."""
        self._is_closing = True
        workers = list(self._workers.values())
        for worker in workers:
            worker.close()
        for worker in workers:
            await asyncio.to_thread(_end, worker.process)

    def answered(self, worker: Worker[Subject], replies: list[Reply]) -> None:
        """Called by a worker's connection with what has arrived."""
        if self._has_failed:
            return  # an answer was left out: a later one would move the end of the file over its record
        done: list[tuple[Job[Subject], Processed]] = []
        poisoned: list[tuple[Job[Subject], Processed]] = []
        parts: list[list[FoundLink]] = []
        for reply in replies:
            if isinstance(reply, Ready):
                worker.is_ready = True
                continue
            if isinstance(reply, Links):
                parts.append(reply.links)
                continue
            job = worker.pending.popleft()
            worker.pending_bytes -= job.size
            if isinstance(reply, Large):
                self._postpone(job)
                continue
            if isinstance(reply, Failed):
                error = DiskFull(reply.reason) if reply.is_disk_full else WorkerFailed(reply.reason)
                self._has_failed = True
                self._on_failure(error)
                return
            is_poison = isinstance(job.message, PageJob) and not job.message.is_parsed
            (poisoned if is_poison else done).append((job, reply.processed))
        worker.progress_at = self._clock.monotonic()
        try:
            for links in parts:  # first: an answer may leave out what was reported before it
                self._on_links(links)
            for job, processed in poisoned:
                self._on_poison(job, processed)
            if done:
                self._on_done(done)
            self._rotate_if_full(worker)
        except Exception as error:  # an error in a callback of the loop would otherwise only be logged
            self._has_failed = True
            self._on_failure(error)
            return
        self._dispatch()

    def _rotate_if_full(self, worker: Worker[Subject]) -> None:
        if worker.is_rotating or self._archive.is_full(worker.file_id):
            worker.is_rotating = True
            if not worker.pending:
                self._archive.retire(worker.file_id)
                file = self._archive.file_for(worker.slot)
                worker.tell(UseFile(file))
                worker.file_id = file.id
                worker.is_rotating = False

    def _dispatch(self) -> None:
        now = self._clock.monotonic()
        while self._suspects and (idle := self._first(lambda w: not w.pending and w.is_available())):
            idle.send(self._suspects.popleft(), now)
        self._dispatch_large(now)
        reserved = next(iter(self._workers.values()), None) if self._suspects else None
        while self._waiting:
            free = [w for w in self._workers.values() if w.has_credit() and w is not reserved and not _is_apart(w)]
            if not free:
                return
            min(free, key=lambda w: w.pending_bytes).send(self._waiting.popleft(), now)

    def _dispatch_large(self, now: float) -> None:
        """One large page at a time, and nothing behind it that would have to wait."""
        reader = self._workers.get(self.slots - 1)
        if self._large and reader is not None and reader.has_credit() and not _is_apart(reader):
            reader.send(self._large.popleft(), now)

    def _postpone(self, job: Job[Subject]) -> None:
        assert isinstance(job.message, PageJob)
        job.message = msgspec.structs.replace(job.message, may_be_large=True)
        self._large.append(job)

    def _first(self, accepts: Callable[[Worker[Subject]], bool]) -> Worker[Subject] | None:
        return next((worker for worker in self._workers.values() if accepts(worker)), None)

    def _take_back(self, worker: Worker[Subject]) -> None:
        """A worker died. It does its jobs in order, so the oldest one is the suspect and the others are bystanders."""
        if not worker.pending:
            return
        suspect, *bystanders = worker.pending
        for job in reversed(bystanders):
            (self._large if _is_large(job) else self._waiting).appendleft(job)
        suspect.deaths += 1
        if suspect.deaths < DEATHS_TO_BLAME:
            self._suspects.append(suspect)
        elif isinstance(suspect.message, PageJob) and suspect.message.is_parsed:
            suspect.message = msgspec.structs.replace(suspect.message, is_parsed=False)
            self._suspects.append(suspect)
        else:
            self._on_poison(suspect, None)

    async def _start(self, slot: int) -> Worker[Subject]:
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._spawn(theirs.fileno())
        try:
            ours.setblocking(False)
            loop = asyncio.get_running_loop()
            _, worker = await loop.create_connection(lambda: Worker(slot, process, self), sock=ours)
            file = self._archive.file_for(slot)
            worker.file_id = file.id
            worker.progress_at = self._clock.monotonic()
            worker.tell(self._setup(file))
        except BaseException:
            ours.close()
            _end(process)
            raise
        self._workers[slot] = worker
        return worker

    def _spawn(self, descriptor: int) -> subprocess.Popen[bytes]:
        """Start a worker by exec. It takes some milliseconds of the loop, a few times in a crawl."""
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "weft.pipeline.worker", str(descriptor), str(os.getpid())],
                pass_fds=[descriptor],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                # A user's filter must be found there as it is here.
                env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
            )


def _is_apart(worker: Worker[Subject]) -> bool:
    """Whether it is busy with a job behind which nothing should wait: a suspect, or a large page."""
    return bool(worker.pending) and (worker.pending[0].deaths > 0 or _is_large(worker.pending[-1]))


def _is_large(job: Job[Subject]) -> bool:
    return isinstance(job.message, PageJob) and job.message.may_be_large


def _end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a worker whose socket is closed to finish what it has; one that does not is killed."""
    try:
        process.wait(timeout=END_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
