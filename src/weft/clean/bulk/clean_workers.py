"""The cleaning workers: each with a few pages in hand.

A page goes to the worker that has the least to do. When a worker dies, the pages in its hands go to others; the one
that it was at is suspect, and is tried again in a process of its own (`alone`) until it is to blame: then it is set
aside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from weft.clean.bulk.alone import PROGRAM, Alone
from weft.clean.bulk.messages import Answer, Setup, decode_answer
from weft.clean.bulk.sizes import Sizes
from weft.clean.bulk.window import PageTask, Window
from weft.clock import Clock
from weft.workers.suspicion import Death
from weft.workers.worker_pool import WorkerPool
from weft.workers.worker_process import Worker


class CleanWorkers:
    """Gives the pages of a window to processes. `on_change` is called when answers have come."""

    def __init__(self, window: Window, setup: Setup, sizes: Sizes, clock: Clock, on_change: Callable[[], None]) -> None:
        self._window = window
        self._setup = setup
        self._clock = clock
        self._on_change = on_change
        self.pool: WorkerPool[PageTask] = WorkerPool(self, PROGRAM, sizes.most_workers, clock)
        self._alone = Alone(msgspec.structs.replace(setup, memory_bytes=sizes.memory_bytes), clock)
        self._tasks = asyncio.TaskGroup()

    async def run(self) -> None:
        """Keep the workers alive until this is cancelled."""
        try:
            async with self._tasks:
                await self.pool.run()
        finally:
            await self.pool.close()

    async def clean_alone(self, task: PageTask) -> Answer:
        """Clean a page in a process of its own."""
        return await self._alone.clean(task)

    def pids(self) -> list[int]:
        """All processes."""
        return [*self.pool.pids(), *self._alone.pids()]

    # ── for the pool ───────────────────────────────────────────────────────────────────────────────────

    def set_up(self, worker: Worker[PageTask]) -> Setup:
        """How pages are cleaned."""
        return self._setup

    def take(self, worker: Worker[PageTask], replies: list[memoryview]) -> None:
        """What came of pages."""
        for reply in replies:
            self._finish(worker.answered(), decode_answer(reply))

    def take_back(self, death: Death[PageTask]) -> None:
        """A worker died."""
        self._window.give_back(death.bystanders)
        if death.is_to_blame:
            self._finish(death.suspect, Answer(reason=death.how))
        else:
            self._tasks.create_task(self._try_again(death.suspect))

    def give_out(self) -> None:
        """Hand out pages as long as there are workers that take them."""
        now = self._clock.monotonic()
        while self._window.waiting_pages and (worker := self.pool.least_busy()) is not None:
            worker.send(self._window.hand_out(), now)

    async def _try_again(self, suspect: PageTask) -> None:
        self._finish(suspect, await self.clean_alone(suspect))

    def _finish(self, task: PageTask, answer: Answer) -> None:
        self.pool.tasks_done += 1
        self._window.answer(task, answer.result(task.page))
        self._on_change()
