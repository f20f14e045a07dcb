"""The cleaning workers: as many as are wanted, each with a few pages in hand.

A page goes to the worker that has the least to do. When a worker dies, the pages in its hands go to others; the one
that it was at is suspect, and is tried again in a process of its own. With DEATHS_TO_BLAME deaths it is set aside: one,
or two, may have other causes, an operator's kill or the system's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from weft.clean.bulk.alone import Alone
from weft.clean.bulk.messages import Answer, Setup
from weft.clean.bulk.sizes import Sizes
from weft.clean.bulk.window import Task, Window
from weft.clean.bulk.worker_process import STARTS_TO_GIVE_UP, Worker, start
from weft.errors import WorkerFailed

DEATHS_TO_BLAME = 3
HANG_COUNTS_AS_DEATHS = 2  # it takes long enough to see
LOOK_FOR_HUNG_S = 1.0


class PoolReading(msgspec.Struct, frozen=True):
    """What the workers did since this was asked before, and how they stand."""

    done: int
    idle_s: float  # of all together
    ready: int
    wanted: int


class Workers:
    """Gives the pages of a window to processes. `on_change` is called when answers have come."""

    def __init__(self, window: Window, setup: Setup, sizes: Sizes, on_change: Callable[[], None]) -> None:
        self._window = window
        self._setup = setup
        self._sizes = sizes
        self._on_change = on_change
        self._alone = Alone(msgspec.structs.replace(setup, memory_bytes=sizes.memory_bytes))
        self._workers: list[Worker] = []
        self._wanted = 0
        self._wishes = asyncio.Event()  # the number of workers may be wrong
        self._done = 0
        self.deaths = 0

    @property
    def wanted(self) -> int:
        """How many there should be."""
        return self._wanted

    def resize(self, count: int) -> None:
        """Want so many workers. They come and go while the work goes on."""
        self._wanted = max(1, min(count, self._sizes.most_workers))
        for worker in self._staying()[self._wanted :]:
            worker.leave()
        self._wishes.set()

    def pump(self) -> None:
        """Hand out pages as long as there are workers that take them."""
        while self._window.waiting_pages:
            worker = self._least_busy()
            if worker is None:
                return
            worker.send(self._window.hand_out())

    async def run(self) -> None:
        """Keep the wanted number of workers alive until this is cancelled."""
        failed_starts = 0
        lives: dict[asyncio.Task[str], Worker] = {}
        try:
            async with asyncio.TaskGroup() as suspects:
                suspects.create_task(self._end_hung_workers())
                while True:
                    while len(self._staying()) < self._wanted:
                        worker = await start(self._setup, self._answered)
                        self._workers.append(worker)
                        lives[asyncio.create_task(self._live(worker, suspects))] = worker
                    self._wishes.clear()
                    wishes = asyncio.create_task(self._wishes.wait())
                    await asyncio.wait({*lives, wishes}, return_when=asyncio.FIRST_COMPLETED)
                    wishes.cancel()
                    for life in [life for life in lives if life.done()]:
                        del lives[life]
                        trouble = life.result()
                        failed_starts = failed_starts + 1 if trouble else 0
                        if failed_starts == STARTS_TO_GIVE_UP:
                            raise WorkerFailed(f"the workers end at once: {trouble}")
        finally:
            for worker in self._workers:
                worker.close()
                if worker.pending or not worker.is_ready:
                    worker.process.kill()  # nobody waits for it
            for life in lives:
                life.cancel()
            await self._alone.close()
            for worker in self._workers:
                await asyncio.to_thread(worker.let_go)

    async def clean_alone(self, task: Task) -> Answer:
        """Clean a page in a process of its own."""
        while True:
            answer, how = await self._alone.clean(task)
            if answer is not None:
                return answer
            if how and self._is_to_blame(task, was_hung=self._alone.was_hung):
                return Answer(reason=how)

    def pids(self) -> list[int]:
        """All processes."""
        return [*(worker.process.pid for worker in self._workers), *self._alone.pids()]

    def reading(self) -> PoolReading:
        """What the balancer wants to know; what is counted begins anew."""
        staying = self._staying()
        done, self._done = self._done, 0
        return PoolReading(
            done=done,
            idle_s=sum(worker.take_idle_s() for worker in staying),
            ready=sum(worker.is_ready for worker in staying),
            wanted=self._wanted,
        )

    def _staying(self) -> list[Worker]:
        return [worker for worker in self._workers if not worker.is_leaving]

    def _least_busy(self) -> Worker | None:
        free = [worker for worker in self._workers if worker.has_credit()]
        return min(free, key=lambda worker: worker.pending_bytes, default=None)

    def _answered(self, worker: Worker, answers: list[tuple[Task, Answer]]) -> None:
        for task, answer in answers:
            self._finish(task, answer)
        self.pump()
        if answers:
            self._on_change()

    def _finish(self, task: Task, answer: Answer) -> None:
        self._done += 1
        self._window.answer(task, answer.result(task.page))

    async def _live(self, worker: Worker, suspects: asyncio.TaskGroup) -> str:
        """One worker's life. Gives what was wrong if it could not start."""
        await worker.ended
        how = worker.kill()
        worker.let_go()
        self._workers.remove(worker)
        if worker.is_closed and not worker.pending:
            return ""
        self.deaths += not worker.is_closed
        if worker.pending:
            suspect, *bystanders = worker.pending
            self._window.give_back(bystanders)
            if self._is_to_blame(suspect, was_hung=worker.was_hung):
                self._finish(suspect, Answer(reason=how))
                self._on_change()
            else:
                suspects.create_task(self._try_again(suspect))
        self.pump()
        return "" if worker.is_ready else how

    def _is_to_blame(self, task: Task, *, was_hung: bool) -> bool:
        task.deaths += HANG_COUNTS_AS_DEATHS if was_hung else 1
        return task.deaths >= DEATHS_TO_BLAME

    async def _try_again(self, suspect: Task) -> None:
        self._finish(suspect, await self.clean_alone(suspect))
        self.pump()
        self._on_change()

    async def _end_hung_workers(self) -> None:
        while True:
            await asyncio.sleep(LOOK_FOR_HUNG_S)
            for worker in self._workers:
                worker.kill_if_hung()
            self._alone.kill_if_hung()
