"""An event loop in a thread of its own: how a program without a loop, or in the middle of one, uses what needs one."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, Final, TypeVar

import uvloop

from weft.api.waiting import result_of

Result = TypeVar("Result")

# Threads that run. Filled by `_started`, emptied by `_run`; bound: crawls of the program at a time.
_running: Final[set[LoopThread]] = set()
_lock: Final = threading.Lock()
_has_hook = False


class LoopThread:
    """One loop, from its first call to `end`.

    The program may end while it runs: then `leave` is called in the loop, and the thread is waited for, within
    `patience_s`. Nothing waits for longer: it is a daemon.
    """

    def __init__(self, leave: Callable[[Callable[[], None]], None], patience_s: float) -> None:
        """`leave` is called in the loop when nobody wants anything more; it calls what it is given once all is over."""
        self._leave = leave
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._failure: BaseException | None = None  # why there is no loop
        self._over: asyncio.Event | None = None
        self._is_over = False
        self._has_ended = threading.Event()

    @property
    def has_ended(self) -> bool:
        """Whether nothing can be called in it any more."""
        return self._is_over

    def call(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Run something in the loop and wait for it. CancelledError if the loop has ended, or ends before it."""
        with self._lock:
            if self._is_over:
                raise CancelledError
            loop = self._started()
            future = asyncio.run_coroutine_threadsafe(work(), loop)
        try:
            return result_of(future)
        except BaseException:
            future.cancel()
            raise

    def soon(self, call: Callable[[], None]) -> None:
        """Have something called in the loop, if it runs."""
        if (loop := self._loop) is not None:
            with suppress(RuntimeError):  # it has just been closed
                loop.call_soon_threadsafe(call)

    def leave_soon(self) -> None:
        """Nobody wants anything more: the loop ends when all is over. Nothing is waited for."""
        self.soon(self._leave_now)

    def wait(self) -> None:
        """Until it has ended, within its patience."""
        if self._loop is not None:
            self._has_ended.wait(self._patience_s)

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            _have_hook()
            is_ready = threading.Event()
            threading.Thread(target=self._run, args=(is_ready,), name="weft", daemon=True).start()
            is_ready.wait()
        if self._loop is None:
            assert self._failure is not None
            raise self._failure
        return self._loop

    def _run(self, is_ready: threading.Event) -> None:
        with _lock:
            _running.add(self)
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(self._live(is_ready))
        except BaseException as error:
            if self._loop is not None:
                raise
            self._failure = error  # whoever waits for the loop is told
        finally:
            with _lock:
                _running.discard(self)
            if self._loop is not None:
                self._has_ended.set()
            is_ready.set()

    async def _live(self, is_ready: threading.Event) -> None:
        self._over = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        is_ready.set()
        await self._over.wait()

    def _leave_now(self) -> None:
        self._leave(self._end)

    def _end(self) -> None:
        with self._lock:  # what was called before is in the loop, and is cancelled with it
            self._is_over = True
        if self._over is not None:
            self._over.set()


def _have_hook() -> None:
    """Threads are ended in order with the program.

    `atexit` would be too late: by then no thread of a pool can be had, and a crawl writes its index files in one.
    """
    global _has_hook
    with _lock:
        if not _has_hook:
            _has_hook = True
            threading._register_atexit(_end_all)  # type: ignore[attr-defined]  # as concurrent.futures does
            os.register_at_fork(after_in_child=_running.clear)  # no thread goes with a fork


def _end_all() -> None:
    with _lock:
        running = list(_running)
    for thread in running:
        thread.leave_soon()
    for thread in running:
        thread.wait()
