"""A process for one page at a time, with a bound on its memory: for large pages, and those that ended a worker."""

from __future__ import annotations

import asyncio

from weft.clean.bulk.messages import Answer, Setup, decode_answer
from weft.clean.bulk.window import PageTask
from weft.clock import Clock
from weft.errors import WorkerFailed
from weft.in_thread import in_thread
from weft.workers.suspicion import death_of
from weft.workers.worker_pool import LOOK_FOR_HUNG_S, STARTS_TO_GIVE_UP, starts_failed
from weft.workers.worker_process import Program, Worker, start

PROGRAM = Program("cleaning workers", "weft.clean.bulk.worker")


class Alone:
    """Starts such a process for each page: what the page before took is gone with it."""

    def __init__(self, setup: Setup, clock: Clock) -> None:
        self._setup = setup
        self._clock = clock
        self._turn = asyncio.Lock()
        self._worker: Worker[PageTask] | None = None

    async def clean(self, task: PageTask) -> Answer:
        """What comes of the page; when enough processes have died with it, it is set aside."""
        failed_starts, how = 0, ""
        while failed_starts < STARTS_TO_GIVE_UP:
            async with self._turn:
                answers: list[Answer] = []
                worker, how = await self._live(task, answers)
            if answers:
                return answers[0]
            if not worker.is_ready:  # the page had no part in that
                failed_starts += 1
            elif death_of(worker, how).is_to_blame:
                return Answer(reason=how)
        raise starts_failed(PROGRAM, how)

    def pids(self) -> list[int]:
        """The process, if there is one now."""
        return [self._worker.process.pid] if self._worker is not None else []

    async def _live(self, task: PageTask, answers: list[Answer]) -> tuple[Worker[PageTask], str]:
        """One process's life, with one page. Returns how it ended."""

        def take(worker: Worker[PageTask], replies: list[memoryview]) -> None:
            answers.extend(map(decode_answer, replies))
            if answers:
                worker.kill()

        try:
            self._worker = worker = await start(PROGRAM, self._clock, take)
        except OSError as error:
            raise WorkerFailed(f"cannot start a worker: {error.strerror}") from error
        worker.tell(self._setup)
        worker.send(task, self._clock.monotonic())
        try:
            while not (await asyncio.wait([worker.ended], timeout=LOOK_FOR_HUNG_S))[0]:
                worker.kill_if_hung(self._clock.monotonic())
        finally:
            self._worker = None
            if not worker.ended.done():  # nobody waits for it any more
                worker.kill()
            how = await in_thread(worker.end)
        return worker, how
