"""The one clock of a schedule, and event loops whose steps it takes in the order of time."""

from __future__ import annotations

import asyncio
import heapq
import inspect
from collections.abc import Callable, Coroutine
from contextvars import Context
from itertools import count
from typing import Any


class Timeline:
    """Runs steps by their time; those of the same time as they were asked for."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._numbers = count()
        self._steps: list[tuple[float, int, ProcessLoop, asyncio.Handle]] = []

    def push(self, at_s: float, loop: ProcessLoop, handle: asyncio.Handle) -> None:
        """Have a step taken then."""
        heapq.heappush(self._steps, (max(at_s, self.now_s), next(self._numbers), loop, handle))

    def run(self, until_s: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Let time pass."""
        while self._steps and self._steps[0][0] <= until_s and not is_over():
            self.now_s, _, loop, handle = heapq.heappop(self._steps)
            loop.take(handle)
        if not is_over():
            self.now_s = max(self.now_s, until_s)


class Killed(BaseException):
    """The process has ended within a step."""


class ProcessLoop(asyncio.AbstractEventLoop):
    """The loop of one process: as much of one as tasks, futures and sleeping need."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._is_killed = False
        self._is_stopped = False
        self.dies_at = ""  # a crash point
        self.die: Callable[[], None] = self.kill  # there
        self._late: list[asyncio.Handle] = []  # while it is stopped
        self.errors: list[BaseException] = []  # that nobody waited for
        self.tasks: set[asyncio.Task[Any]] = set()  # all that have not ended

    def take(self, handle: asyncio.Handle) -> None:
        """One step, from an await to the next."""
        if self._is_killed or handle.cancelled():
            return
        if self._is_stopped:
            self._late.append(handle)
            return
        asyncio._set_running_loop(self)
        try:
            handle._run()
        finally:
            asyncio._set_running_loop(None)

    def kill(self) -> None:
        """Nothing of it ever runs again."""
        self._is_killed = True

    def stop(self) -> None:
        """As SIGSTOP does."""
        self._is_stopped = True

    def resume(self) -> None:
        """As SIGCONT does: what was due is done now."""
        self._is_stopped = False
        for handle in self._late:
            self._timeline.push(self._timeline.now_s, self, handle)
        self._late.clear()

    def bury(self) -> None:
        """The schedule is over: let go of what was under way, without a word."""
        self._is_killed = False
        self._is_stopped = False
        for task in list(self.tasks):
            coroutine = task.get_coro()
            if inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
                coroutine.close()  # its first step went with the process
            task.cancel()

    # ── what asyncio asks of a loop ────────────────────────────────────────────────────────────────────

    def time(self) -> float:
        return self._timeline.now_s

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._timeline.push(self._timeline.now_s, self, handle)
        return handle

    def call_at(  # type: ignore[override]
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, self, context)
        self._timeline.push(when, self, handle)
        return handle

    def call_later(  # type: ignore[override]
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._timeline.now_s + delay, callback, *args, context=context)

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(  # type: ignore[override]
        self, coro: Coroutine[Any, Any, Any], *, name: str | None = None, context: Context | None = None
    ) -> asyncio.Task[Any]:
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if isinstance(error := context.get("exception"), BaseException):
            self.errors.append(error)

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass


def crash_point(name: str) -> None:
    """In place of `weft.crash_points.crash_point`: a process that is to die here does."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ProcessLoop)
    if loop.dies_at == name:
        loop.die()
        raise Killed
