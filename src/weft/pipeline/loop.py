"""The event loop as the parts of a crawl see it: what they start, and how they say that something has changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Loop:
    """Runs tasks, and calls the engine's pump once after any number of changes."""

    def __init__(self) -> None:
        self._pump: Callable[[], None] = lambda: None
        self._tasks: asyncio.TaskGroup | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self.pump_is_due = False  # something has changed since the pump was called
        self._timer: asyncio.TimerHandle | None = None
        self._asked: asyncio.Future[None] | None = None  # of those who wait for the requests of the next pump

    def begin(self, pump: Callable[[], None], tasks: asyncio.TaskGroup) -> None:
        """From now on things happen: an error in any of the tasks ends them all."""
        self._loop = asyncio.get_running_loop()  # kept: each look-up costs a system call
        self._tasks = tasks
        self._pump = pump
        self.pump_soon()

    def end(self) -> None:
        """Nothing is called any more."""
        self._loop = None
        self._stop_timer()

    def spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Begin something that takes its time."""
        assert self._tasks is not None
        return self._tasks.create_task(work)

    def promise(self) -> asyncio.Future[Any]:
        """Something that will be kept later."""
        assert self._loop is not None
        return self._loop.create_future()

    def pump_soon(self) -> None:
        """Something has changed: what may begin now?"""
        if not self.pump_is_due and self._loop is not None:
            self.pump_is_due = True
            self._loop.call_soon(self._run_pump)

    def once_asked(self) -> asyncio.Future[None]:
        """Pump, and be kept when the requests that began by that are on their way: for what no server should wait."""
        self.pump_soon()
        if self._asked is None:
            self._asked = self.promise()
        return self._asked

    def pump_in(self, wait_s: float) -> None:
        """If nothing changes before, ask then."""
        assert self._loop is not None
        self._timer = self._loop.call_later(wait_s, self.pump_soon)

    def _run_pump(self) -> None:
        self.pump_is_due = False
        self._stop_timer()
        if self._loop is not None:
            self._pump()
            if self._asked is not None:
                self._keep_asked()

    def _keep_asked(self) -> None:
        """What the pump began takes its first step, in which it writes its request, before whoever waits goes on."""
        asked, self._asked = self._asked, None
        if asked is not None and not asked.done():  # it is cancelled with whoever waits for it
            asked.set_result(None)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
