"""A process for one page at a time, with a bound on its memory: for large pages, and those that ended a worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from weft.clean.bulk.messages import Answer, Setup, decode_answer
from weft.clean.bulk.window import PageTask
from weft.clock import Clock
from weft.workers.suspicion import death_of
from weft.workers.worker_pool import LOOK_FOR_HUNG_S, STARTS_TO_GIVE_UP, starts_failed
from weft.workers.worker_process import Program, Worker, start

PROGRAM = Program("cleaning workers", "weft.clean.bulk.worker", decode_answer)


class Alone:
    """Starts such a process for each page: what the page before took is gone with it."""

    def __init__(self, setup: Setup, clock: Clock) -> None:
        self._setup = setup
        self._clock = clock
        self._turn = asyncio.Lock()
        self._worker: Worker[PageTask, Answer] | None = None

    async def clean(self, task: PageTask) -> Answer:
        """What comes of the page; when enough processes have died with it, it is set aside."""
        failed_starts, how = 0, ""
        while failed_starts < STARTS_TO_GIVE_UP:
            async with self._turn:
                answers: list[Answer] = []
                try:
                    worker: Worker[PageTask, Answer] = await start(PROGRAM, self._clock, _take_into(answers))
                except OSError as error:
                    failed_starts, how = failed_starts + 1, str(error)
                    continue
                how = await self._live(worker, task)
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

    async def _live(self, worker: Worker[PageTask, Answer], task: PageTask) -> str:
        """One process's life, with one page. Returns how it ended."""
        self._worker = worker
        worker.tell(self._setup)
        worker.send(task, self._clock.monotonic())
        try:
            while not (await asyncio.wait([worker.ended], timeout=LOOK_FOR_HUNG_S))[0]:
                worker.kill_if_hung(self._clock.monotonic())
        finally:
            self._worker = None
            if not worker.ended.done():  # nobody waits for it any more
                _end_at_once(worker)
            how = await asyncio.to_thread(worker.end)
        return how


def _take_into(answers: list[Answer]) -> Callable[[Worker[PageTask, Answer], list[Answer]], None]:
    def take(worker: Worker[PageTask, Answer], replies: list[Answer]) -> None:
        answers.extend(replies)
        if replies:
            _end_at_once(worker)

    return take


def _end_at_once(worker: Worker[PageTask, Answer]) -> None:
    worker.process.kill()
    worker.close()
