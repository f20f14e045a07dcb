"""One parse worker, from the engine's side of the socket: its process, the jobs in its hands, what it may be given."""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar, cast

from weft.pipeline.messages import (
    DnsJob,
    Message,
    PageJob,
    RelaxJob,
    Reply,
    StoreJob,
    decode_reply,
)
from weft.workers.frames import FrameReader, frame
from weft.workers.process import start_child

KIB = 1024
CREDIT_JOBS = 16
CREDIT_BYTES = 512 * KIB
# A job without a body is work, too: else all such jobs would go to the same worker.
BARE_JOB_BYTES = 1 * KIB
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
        self.size = BARE_JOB_BYTES + (len(body) if body else 0)

    def is_large(self) -> bool:
        """Whether it is for the worker that reads large pages."""
        return isinstance(self.message, PageJob) and self.message.may_be_large

    def patience_s(self) -> float:
        """How long a worker may take over it."""
        if isinstance(self.message, PageJob):
            return HANG_AFTER_S + self.message.fetched.body_bytes / SLOWEST_BYTES_PER_S
        return HANG_AFTER_S


class Worker(asyncio.Protocol, Generic[Subject]):
    """A worker's life: starting, ready, perhaps leaving, closed.

    One that is leaving finishes what it has; until it is closed it may be asked to stay.
    """

    def __init__(
        self,
        slot: int,
        process: subprocess.Popen[bytes],
        on_replies: Callable[[Worker[Subject], list[Reply]], None],
    ) -> None:
        self.slot = slot
        self.process = process
        self._on_replies = on_replies
        # Jobs in the worker's hands, oldest first. Filled by send, emptied by answered; bound: its credit.
        self.pending: deque[Job[Subject]] = deque()
        self.pending_bytes = 0
        self.file_id = 0
        self.is_ready = False
        self.is_rotating = False
        self.is_leaving = False
        self.is_closed = False  # by us: it ends because it was told to
        # It may be given jobs: worked out when one of the above changes, because it is asked for each job.
        self.takes_jobs = False
        self.was_hung = False
        # Its last job is one behind which nothing should wait: a suspect, or a large page.
        self.is_apart = False
        self.progress_at = 0.0
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._idle_since = 0.0  # while it is ready and has no job
        self._idle_s = 0.0
        self._frames = FrameReader()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._on_replies(self, [decode_reply(body) for body in self._frames.feed(data)])

    def connection_lost(self, exc: Exception | None) -> None:
        self.takes_jobs = False
        if not self.ended.done():
            self.ended.set_result(None)

    def is_idle(self) -> bool:
        """True when it may be given a job that must be alone."""
        return self.takes_jobs and not self.pending

    def has_credit(self) -> bool:
        """True when it may be given another job."""
        return (
            self.takes_jobs
            and not self.is_apart
            and len(self.pending) < CREDIT_JOBS
            and self.pending_bytes < CREDIT_BYTES
        )

    def send(self, job: Job[Subject], now: float) -> None:
        """Give it a job."""
        if not self.pending:
            self.progress_at = now
            self._idle_s += now - self._idle_since
        self.pending.append(job)
        self.pending_bytes += job.size
        self.tell(job.message)

    def send_apart(self, job: Job[Subject], now: float) -> None:
        """Give it a job, and no other until that is done."""
        self.is_apart = True
        self.send(job, now)

    def answered(self) -> Job[Subject]:
        """It is done with its oldest job."""
        job = self.pending.popleft()
        self.pending_bytes -= job.size
        return job

    def heard_of(self, now: float) -> None:
        """It has shown that it is alive, and told what it had to tell."""
        self.progress_at = now
        if not self.pending:
            self.is_apart = False
            self._idle_since = now

    def take_idle_s(self, now: float) -> float:
        """How long it had nothing to do since this was asked before."""
        if self.is_ready and not self.pending:
            self._idle_s += now - self._idle_since
            self._idle_since = now
        idle_s, self._idle_s = self._idle_s, 0.0
        return idle_s

    def seems_hung(self, now: float) -> bool:
        """Whether it has been silent for longer than it can take over what it has to do."""
        if self.pending:
            return now - self.progress_at > self.pending[0].patience_s()
        return not self.is_ready and now - self.progress_at > HANG_AFTER_S

    def change(
        self, *, is_ready: bool | None = None, is_rotating: bool | None = None, is_leaving: bool | None = None
    ) -> None:
        """Note something that decides whether it may be given jobs."""
        self.is_ready = self.is_ready if is_ready is None else is_ready
        self.is_rotating = self.is_rotating if is_rotating is None else is_rotating
        self.is_leaving = self.is_leaving if is_leaving is None else is_leaving
        has_time = self.is_ready and not self.is_rotating and not self.is_leaving
        self.takes_jobs = has_time and not self.is_closed and not self.ended.done()

    def tell(self, message: Message) -> None:
        """Send a message; one that is dying does not hear it, and its death is handled elsewhere."""
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.write(frame(message))

    def close(self) -> None:
        """Let it finish what it has and end."""
        self.is_closed = True
        self.takes_jobs = False
        if self._transport is not None:
            self._transport.close()


async def start(slot: int, log: Path, on_replies: Callable[[Worker[Subject], list[Reply]], None]) -> Worker[Subject]:
    """Start a worker's process. It is connected; what it is to do must still be said."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    try:
        with theirs:
            process = _spawn(theirs.fileno(), log)
    except OSError:
        ours.close()
        raise
    try:
        loop = asyncio.get_running_loop()
        _, worker = await loop.create_connection(lambda: Worker(slot, process, on_replies), sock=ours)
    except BaseException:
        ours.close()
        end(process)
        raise
    return worker


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait for a worker whose socket is closed to finish what it has; one that does not is killed."""
    try:
        process.wait(timeout=END_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _spawn(descriptor: int, log: Path) -> subprocess.Popen[bytes]:
    """It takes some milliseconds of the loop, a few times in a crawl."""
    with log.open("ab") as lines:
        return start_child(
            "weft.pipeline.worker", str(descriptor), stdout=lines, stderr=lines, descriptors=[descriptor]
        )
