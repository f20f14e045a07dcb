"""One cleaning worker, from the engine's side of the socket: its process, and the pages in its hands."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import IO, cast

from weft.clean.bulk.messages import Answer, PageJob, Setup, decode_answer
from weft.clean.bulk.window import Task
from weft.errors import WeftError
from weft.workers.frames import FrameReader, frame
from weft.workers.process import start_child

KIB = 1024
CREDIT_PAGES = 16
CREDIT_BYTES = 512 * KIB
HANG_AFTER_S = 60.0
STARTS_TO_GIVE_UP = 3  # that fail in a row
SLOWEST_BYTES_PER_S = 500_000
END_PATIENCE_S = 5.0
_LAST_WORDS_BYTES = 2_000


class Worker(asyncio.BufferedProtocol):
    """A worker's life: starting, ready, perhaps leaving, closed, ended."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        words: IO[bytes],
        on_answers: Callable[[Worker, list[tuple[Task, Answer]]], None],
    ) -> None:
        self.process = process
        self._words = words  # what it says on standard error
        self._on_answers = on_answers
        # Pages in its hands, oldest first. Filled by send, emptied by answers; bound: its credit.
        self.pending: deque[Task] = deque()
        self.pending_bytes = 0
        self.is_ready = False
        self.is_leaving = False  # it finishes what it has, and gets no more
        self.is_closed = False  # by us: it ends because it was told to
        self.was_hung = False
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._progress_at = _now()
        self._idle_since = 0.0  # while it is ready and has no page
        self._idle_s = 0.0
        self._frames = FrameReader()
        self._transport: asyncio.Transport | None = None

    # ── asyncio's side ─────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._frames.room()

    def buffer_updated(self, nbytes: int) -> None:
        answers = [decode_answer(body) for body in self._frames.received(nbytes)]
        if not answers:
            return
        now = _now()
        self._progress_at = now
        if not self.is_ready:
            self.is_ready = True
            self._idle_since = now
            answers = answers[1:]
        answered = [(self.pending.popleft(), answer) for answer in answers]
        self.pending_bytes -= sum(task.size_bytes for task, _ in answered)
        if answered and not self.pending:
            self._idle_since = now
        if self.is_leaving and not self.pending:
            self.close()
        self._on_answers(self, answered)

    def eof_received(self) -> None:
        pass

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    # ── the pool's side ────────────────────────────────────────────────────────────────────────────────

    def has_credit(self) -> bool:
        """Whether it may be given another page."""
        return (
            self.is_ready
            and not self.is_leaving
            and len(self.pending) < CREDIT_PAGES
            and self.pending_bytes < CREDIT_BYTES
            and not self.ended.done()
        )

    def send(self, task: Task) -> None:
        """Give it a page."""
        if not self.pending:
            self._progress_at = now = _now()
            self._idle_s += now - self._idle_since
        self.pending.append(task)
        self.pending_bytes += task.size_bytes
        self.tell(frame(PageJob.of(task.page)))

    def tell(self, message: bytearray) -> None:
        """Send a message; one that is dying does not hear it, and its death is handled elsewhere."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(message)

    def take_idle_s(self) -> float:
        """How long it had nothing to do since this was asked before."""
        if self.is_ready and not self.pending:
            now = _now()
            self._idle_s += now - self._idle_since
            self._idle_since = now
        idle_s, self._idle_s = self._idle_s, 0.0
        return idle_s

    def kill_if_hung(self) -> None:
        """End it if it has been silent for longer than its page can take; that is a death like any other."""
        patience_s = HANG_AFTER_S
        if self.pending:
            patience_s += self.pending[0].size_bytes / SLOWEST_BYTES_PER_S
        elif self.is_ready:
            return
        if _now() - self._progress_at > patience_s:
            self.was_hung = True
            self.process.kill()

    def leave(self) -> None:
        """Let it finish what it has, and end."""
        self.is_leaving = True
        if not self.pending:
            self.close()

    def close(self) -> None:
        """Nobody waits for its answers any more: it ends."""
        self.is_leaving = self.is_closed = True
        if self._transport is not None:
            self._transport.close()

    def kill(self) -> str:
        """End it if it has not ended; gives how it ended, in a few words."""
        if self._transport is not None:
            self._transport.close()
        if self.process.poll() is None and not self.is_closed:
            self._wait(END_PATIENCE_S / 10)  # its socket is closed, so it is about to end; how, is worth to know
        if self.process.poll() is None:
            self.process.kill()
        code = self.process.wait()
        if self.was_hung:
            return "it took too long"
        return (
            f"its worker was ended by {_signal_name(-code)}" if code < 0 else f"its worker failed: {self._last_words()}"
        )

    def _last_words(self) -> str:
        """The end of what it said on standard error, in one line."""
        self._words.seek(max(0, self._words.seek(0, os.SEEK_END) - _LAST_WORDS_BYTES))
        lines = self._words.read().decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")

    def let_go(self) -> None:
        """Its process has ended, or has to: wait for it."""
        self._wait(END_PATIENCE_S)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._words.close()

    def _wait(self, within_s: float) -> None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=within_s)


async def start(setup: Setup, on_answers: Callable[[Worker, list[tuple[Task, Answer]]], None]) -> Worker:
    """Start a worker's process; it says so when it is ready."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    words = tempfile.TemporaryFile()  # noqa: SIM115 — the worker closes it
    try:
        with theirs:
            descriptor = theirs.fileno()
            process = start_child(
                "weft.clean.bulk.worker", str(descriptor), stdout=words, stderr=words, descriptors=[descriptor]
            )
    except OSError as error:
        ours.close()
        words.close()
        raise WeftError(f"cannot start a worker: {error.strerror}") from error
    loop = asyncio.get_running_loop()
    _, worker = await loop.create_connection(lambda: Worker(process, words, on_answers), sock=ours)
    worker.tell(frame(setup))
    return worker


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _now() -> float:
    return asyncio.get_running_loop().time()
