"""A process for one page at a time, with a bound on its memory: for large pages, and those that ended a worker."""

from __future__ import annotations

import asyncio
from typing import Any

from weft.clean.bulk.messages import Answer, Setup
from weft.clean.bulk.window import Task
from weft.clean.bulk.worker_process import STARTS_TO_GIVE_UP, Worker, start
from weft.errors import WorkerFailed


class Alone:
    """Starts such a process for each page: what the page before took is gone with it."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._turn = asyncio.Lock()
        self._worker: Worker | None = None
        self.was_hung = False  # the last one
        self._failed_starts = 0  # in a row

    async def clean(self, task: Task) -> tuple[Answer | None, str]:
        """What came of the page; if its process died, nothing, and how it died. That is empty if it did not start."""
        async with self._turn:
            answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

            def take(_: Worker, answers: list[tuple[Task, Answer]]) -> None:
                if answers:
                    answer.set_result(answers[0][1])

            self._worker = worker = await start(self._setup, take)
            try:
                worker.send(task)
                both: list[asyncio.Future[Any]] = [answer, worker.ended]
                await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
                if answer.done():
                    self._failed_starts = 0
                    return answer.result(), ""
                how = await asyncio.to_thread(worker.kill)
                if not worker.is_ready:  # the page had no part in that
                    self._failed_starts += 1
                    if self._failed_starts == STARTS_TO_GIVE_UP:
                        raise WorkerFailed(f"the workers end at once: {how}")
                    return None, ""
                return None, how
            finally:
                self.was_hung = worker.was_hung
                await self._end(worker)

    def pids(self) -> list[int]:
        """The process, if there is one now."""
        return [self._worker.process.pid] if self._worker is not None else []

    def kill_if_hung(self) -> None:
        """End it if it takes too long."""
        if self._worker is not None:
            self._worker.kill_if_hung()

    async def close(self) -> None:
        """End it, whatever it is at."""
        if self._worker is not None:
            await self._end(self._worker)

    async def _end(self, worker: Worker) -> None:
        self._worker = None
        worker.process.kill()
        worker.close()
        await asyncio.to_thread(worker.let_go)
