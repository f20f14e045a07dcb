"""A pool of workers that do what they are asked, and an employer that notes what comes of it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from tests.pipeline.crawling import until
from weft.clock import FakeClock
from weft.workers.suspicion import Death
from weft.workers.worker_pool import WorkerPool
from weft.workers.worker_process import HANG_AFTER_S, Program, Worker

from .asked_worker import ANSWER, Asked, decode_answered

WITHIN_S = 120.0


class Task:
    """One thing to be asked of a worker."""

    def __init__(self, number: int, act: str, size_bytes: int) -> None:
        self.message = Asked(act, number)
        self.size_bytes = size_bytes
        self.deaths = 0

    def patience_s(self) -> float:
        return HANG_AFTER_S


class Rig:
    """Employs the pool. A task with which a worker died is tried again alone until it is to blame."""

    def __init__(self, slots: int, log: Path | None = None, first: str = ANSWER) -> None:
        self.clock = FakeClock()
        self.first = first
        self.waiting: deque[Task] = deque()
        self.suspects: deque[Task] = deque()
        self.given = 0
        self.done: list[int] = []
        self.done_by: dict[int, int] = {}  # process, by task
        self.deaths: list[Death[Task]] = []
        self.on_take: Callable[[], None] = lambda: None
        program = Program("asked workers", "tests.workers.asked_worker", log)
        self.pool: WorkerPool[Task] = WorkerPool(self, program, slots, self.clock)
        self.pauses_s: list[float] = []
        self.on_pause: Callable[[], None] = lambda: None
        self.pool.sleep = self._pause

    def submit(self, *acts: str, size_bytes: int = 100) -> None:
        for act in acts:
            self.waiting.append(Task(self.given, act, size_bytes))
            self.given += 1
        self.give_out()

    async def _pause(self, seconds: float) -> None:
        self.pauses_s.append(seconds)
        self.on_pause()
        await asyncio.sleep(0.01)

    async def are_ready(self, count: int) -> None:
        await until(lambda: self.pool.reading().ready == count == len(self.pool.pids()))

    def set_up(self, worker: Worker[Task]) -> Asked:
        return Asked(self.first)

    def take(self, worker: Worker[Task], replies: list[memoryview]) -> None:
        for answered in map(decode_answered, replies):
            assert worker.answered().message.number == answered.number, "answers come in the order of tasks"
            self.done.append(answered.number)
            self.done_by[answered.number] = answered.pid
        self.pool.tasks_done += len(replies)
        self.on_take()

    def take_back(self, death: Death[Task]) -> None:
        self.deaths.append(death)
        self.waiting.extendleft(reversed(death.bystanders))
        if not death.is_to_blame:
            self.suspects.append(death.suspect)

    def give_out(self) -> None:
        first = self.pool.workers.get(0)
        if self.suspects and first is not None and not first.holds and not first.pending:
            first.send_apart(self.suspects.popleft(), self.clock.monotonic())
        while self.waiting and (worker := self.pool.least_busy()) is not None:
            worker.send(self.waiting.popleft(), self.clock.monotonic())


@asynccontextmanager
async def running(rig: Rig) -> AsyncIterator[Rig]:
    """The pool at work; closed at the end."""
    try:
        async with asyncio.timeout(WITHIN_S), asyncio.TaskGroup() as tasks:
            task = tasks.create_task(rig.pool.run())
            try:
                yield rig
            finally:
                task.cancel()
    finally:
        await rig.pool.close()
