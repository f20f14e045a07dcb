"""One worker, from its parent's side of the socket: its process, the tasks in its hands, what it may be given."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections import deque
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import IO, Generic, NamedTuple, Protocol, TypeVar, cast

import msgspec

from weft.clock import Clock
from weft.workers.frames import FrameReader, frame
from weft.workers.process import Child, end, start_child
from weft.workers.tasks_done import TasksDone

CREDIT_TASKS = 64
CREDIT_BYTES = 512 * 1024
HANG_AFTER_S = 60.0
EXIT_RETIRED = 71  # of a worker that ends between two tasks, and is no worse for it
_LAST_WORDS_BYTES = 2_000


class Task(Protocol):
    """Something for a worker to do. Each gets one answer, in their order."""

    deaths: int  # of workers that had it in hand

    @property
    def message(self) -> msgspec.Struct:
        """What the worker is told."""

    @property
    def size_bytes(self) -> int:
        """How much of a worker's credit it takes."""

    def patience_s(self) -> float:
        """How long a worker may be silent over it: HANG_AFTER_S, and more for what may take longer."""


TaskT = TypeVar("TaskT", bound=Task)


class Program(NamedTuple):
    """What workers are, and where their complaints go: without a log the last words are kept."""

    name: str  # for people: "parse workers"
    module: str
    log: Path | None = None


class Hold(Enum):
    """Why a worker is given no task now."""

    STARTING = "it has not said yet that it is ready"
    PAUSED = "its employer wants it to finish what it has first"
    APART = "it has, or is kept free for, a task behind which nothing should wait"
    LEAVING = "it is not wanted any more, but may be asked to stay"
    CLOSED = "it was told to end"
    ENDED = "its end of the socket is closed"


class Worker(asyncio.BufferedProtocol, Generic[TaskT]):
    """A worker's life: starting, ready, perhaps leaving, closed, ended."""

    def __init__(
        self,
        slot: int,
        clock: Clock,
        on_replies: OnReplies[TaskT],
        process: Child,
        words: IO[bytes],
        done: TasksDone,
    ) -> None:
        self.slot = slot
        self.process = process
        self._clock = clock
        self._on_replies = on_replies
        self._words = words
        # Tasks in its hands, oldest first. Filled by send, emptied by answered; bound: its credit.
        self.pending: deque[TaskT] = deque()
        self.pending_bytes = 0
        self._done = done
        self._answers = 0
        self.holds = {Hold.STARTING}
        self.was_hung = False
        self.exit_code = 0  # once it has ended; of a signal, its number below zero
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._heard_at = self._idle_since = clock.monotonic()
        self._idle_s = 0.0
        self._frames = FrameReader()
        self._transport: asyncio.Transport | None = None

    # ── asyncio's side ─────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._frames.room()

    def buffer_updated(self, nbytes: int) -> None:
        self._heard_at = self._clock.monotonic()
        replies = self._frames.received(nbytes)
        if not replies:
            return
        if self.holds and Hold.STARTING in self.holds:
            self.holds.remove(Hold.STARTING)
            self._idle_since = self._heard_at
            del replies[0]
        self._on_replies(self, replies)

    def connection_lost(self, exc: Exception | None) -> None:
        self.holds.add(Hold.ENDED)
        if not self.ended.done():
            self.ended.set_result(None)

    # ── its employer's side ───────────────────────────────────────────────────────────────────────────────

    @property
    def is_ready(self) -> bool:
        """Whether it has said so."""
        return Hold.STARTING not in self.holds

    @property
    def is_closed(self) -> bool:
        """Whether it ends because it was told to."""
        return Hold.CLOSED in self.holds

    @property
    def at(self) -> int:
        """Which of its tasks it is at, or was when it ended: answers to those before are not here yet."""
        return min(self._done.count - self._answers, len(self.pending) - 1)

    def has_credit(self) -> bool:
        """Whether it may be given another task."""
        return not self.holds and len(self.pending) < CREDIT_TASKS and self.pending_bytes < CREDIT_BYTES

    def send(self, task: TaskT, now: float) -> None:
        """Give it a task."""
        if not self.pending:
            self._heard_at = now
            self._idle_s += now - self._idle_since
        self.pending.append(task)
        self.pending_bytes += task.size_bytes
        self.tell(task.message)

    def send_apart(self, task: TaskT, now: float) -> None:
        """Give it a task, and no other until that is done."""
        self.holds.add(Hold.APART)
        self.send(task, now)

    def answered(self) -> TaskT:
        """It is done with its oldest task."""
        task = self.pending.popleft()
        self._answers += 1
        self.pending_bytes -= task.size_bytes
        if not self.pending:
            self._idle_since = self._heard_at
            if self.holds:
                self.holds.discard(Hold.APART)
        return task

    def take_idle_s(self, now: float) -> float:
        """How long it had nothing to do since this was asked before."""
        if self.is_ready and not self.pending:
            self._idle_s += now - self._idle_since
            self._idle_since = now
        idle_s, self._idle_s = self._idle_s, 0.0
        return idle_s

    def kill_if_hung(self, now: float) -> None:
        """End it if it has been silent for longer than its task can take; that is then a death like any other."""
        if self.pending or not self.is_ready:
            patience_s = self.pending[self.at].patience_s() if self.pending else HANG_AFTER_S
            if now - self._heard_at > patience_s:
                self.was_hung = True
                self.process.kill()

    def tell(self, message: msgspec.Struct) -> None:
        """Send a message; one that is dying does not hear it, and its death is handled elsewhere."""
        transport = self._transport
        if transport is not None and not transport.is_closing():
            transport.write(frame(message))

    def close(self) -> None:
        """Let it finish what it has and end."""
        self.holds.add(Hold.CLOSED)
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write_eof()  # to close is not enough where a fork of the program has the socket, too
            self._transport.close()

    def kill(self) -> None:
        """End it, whatever it is at: nobody waits for its answers any more."""
        self.process.kill()
        self.close()

    def end(self) -> str:
        """Wait for its process, or end it; returns how it ended. This blocks."""
        code = self.exit_code = end(
            self.process
        )  # one that closed its socket by itself is about to end, and how is worth knowing
        last_line = _last_line(self._words)
        self._words.close()
        if self.was_hung:
            return "it took too long"
        if code < 0:
            return f"its worker was ended by {_signal_name(-code)}"
        return f"its worker failed: {last_line or f'exit code {code}'}"


# What a worker has said, in messages to be decoded before this returns; none at first, when it is ready.
OnReplies = Callable[[Worker[TaskT], list[memoryview]], None]


async def start(program: Program, clock: Clock, on_replies: OnReplies[TaskT], slot: int = 0) -> Worker[TaskT]:
    """Start a worker's process. It is connected; what it is to do must still be said."""
    words = tempfile.TemporaryFile() if program.log is None else program.log.open("ab")  # noqa: SIM115 — Worker.end does
    try:
        shared = TasksDone.make()
        try:
            done = TasksDone(shared)
            process, connection = start_child(program.module, words, [shared])
        finally:
            os.close(shared)
    except OSError:
        words.close()
        raise
    if program.log is not None:
        words.close()  # others write there, too: its last words are not to be told from theirs
    try:
        connection.setblocking(False)
        _, worker = await asyncio.get_running_loop().create_connection(
            lambda: Worker(slot, clock, on_replies, process, words, done), sock=connection
        )
    except BaseException:
        connection.close()
        process.kill()
        end(process)
        words.close()
        raise
    return worker


def _last_line(words: IO[bytes]) -> str:
    """The end of what it said, in one line."""
    try:
        words.seek(max(0, words.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES))
    except ValueError:  # it is closed
        return ""
    lines = words.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
