"""As many workers as are wanted, kept alive.

There are `slots`, and in the first `active` of them a worker is kept alive. `resize` changes that number at any time: a
worker that is no longer wanted gets no more tasks, finishes those that it has, and ends; the next worker of its slot
begins when it has ended. Slot 0 is always active.

Which task goes to which worker, and what comes of its answer, is the business of its employer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, Protocol

import msgspec

from weft.clock import Clock
from weft.errors import WorkerFailed
from weft.in_thread import in_thread
from weft.logs import logger
from weft.workers.suspicion import Death, death_of
from weft.workers.worker_process import CREDIT_BYTES, CREDIT_TASKS, EXIT_RETIRED, Hold, Program, TaskT, Worker, start

STARTS_TO_GIVE_UP = 3  # that fail in a row
# What keeps a worker from starting may pass: memory or processes were short.
FIRST_PAUSE_S = 1.0
PAUSE_GROWTH = 4.0
LONGEST_PAUSE_S = 30.0
LOOK_FOR_HUNG_S = 1.0
_log = logger("workers")

_GOING = frozenset({Hold.LEAVING, Hold.CLOSED})
_AT_WORK = frozenset({Hold.APART})  # it takes tasks, if only one at a time


def starts_failed(program: Program, trouble: str) -> WorkerFailed:
    """What is raised when workers end before they are ready, again and again."""
    return WorkerFailed(f"{program.name} end at once ({trouble})" + (f"; see {program.log}" if program.log else ""))


class Employer(Protocol[TaskT]):
    """Whose tasks the workers do. An error of any of these ends the pool."""

    def set_up(self, worker: Worker[TaskT]) -> msgspec.Struct:
        """The first message to a worker."""

    def take(self, worker: Worker[TaskT], replies: list[memoryview]) -> None:
        """A worker has said something; with no reply, that it is ready. `Worker.answered` is the task of an answer."""

    def take_back(self, death: Death[TaskT]) -> None:
        """A worker has died with tasks in its hands."""

    def give_out(self) -> None:
        """Workers may have credit: give them tasks."""


class PoolReading(msgspec.Struct, frozen=True):
    """What the workers did since they were read before, and how they stand."""

    tasks_done: int
    idle_s: float  # of all together: they were ready, and had nothing to do
    pending_tasks: int  # workers have them
    active: int  # slots in which a worker is wanted
    ready: int  # workers that take tasks: the others start, or leave


class WorkerPool(Generic[TaskT]):
    """Slots, each with a worker as long as one is wanted: `run` it, then `close` it."""

    def __init__(self, employer: Employer[TaskT], program: Program, slots: int, clock: Clock) -> None:
        self._employer = employer
        self._program = program
        self._clock = clock
        self.sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
        self.slots = slots  # the most workers that there can be
        self.active = slots  # how many are wanted now
        self.workers: dict[int, Worker[TaskT]] = {}  # by slot, until their process has ended
        self._kept: set[int] = set()  # slots in which a worker is kept alive
        self._lives = asyncio.TaskGroup()
        self._is_running = False
        self._failure: Exception | None = None
        self._has_failed = asyncio.Event()
        self.tasks_done = 0  # since the last reading; its employer counts
        self.deaths = 0

    def resize(self, count: int) -> None:
        """Want N workers: at least one, at most one a slot. They come and go while the work goes on."""
        self.active = max(1, min(count, self.slots))
        self._keep_slots()
        for worker in self.workers.values():
            self._let_go_if_unwanted(worker)
        self._employer.give_out()

    def least_busy(self) -> Worker[TaskT] | None:
        """The worker with credit that has the least to do. Asked for each task: hence no calls here."""
        found, least_bytes = None, CREDIT_BYTES
        for worker in self.workers.values():
            if worker.pending_bytes < least_bytes and not worker.holds and len(worker.pending) < CREDIT_TASKS:
                found, least_bytes = worker, worker.pending_bytes
        return found

    def broadcast(self, message: msgspec.Struct) -> None:
        """Tell all workers something; those still to come hear it when they are set up."""
        for worker in self.workers.values():
            worker.tell(message)

    def pids(self) -> list[int]:
        """The workers' processes, also those of workers about to leave."""
        return [worker.process.pid for worker in self.workers.values()]

    def reading(self) -> PoolReading:
        """What a balancer wants to know; what is counted begins again."""
        now = self._clock.monotonic()
        staying = [worker for worker in self.workers.values() if worker.holds.isdisjoint(_GOING)]
        done, self.tasks_done = self.tasks_done, 0
        return PoolReading(
            tasks_done=done,
            idle_s=sum(worker.take_idle_s(now) for worker in staying),
            pending_tasks=sum(len(worker.pending) for worker in self.workers.values()),
            active=self.active,
            ready=sum(worker.holds <= _AT_WORK for worker in staying),
        )

    async def run(self) -> None:
        """Keep the wanted workers alive until this is cancelled. What fails in it, or in its employer, is raised."""
        async with self._lives:
            self._is_running = True
            self._keep_slots()
            try:
                while self._failure is None:
                    self.end_hung_workers()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._has_failed.wait(), LOOK_FOR_HUNG_S)
                raise self._failure
            finally:
                self._is_running = False

    def end_hung_workers(self) -> None:
        """Kill workers that have been silent for longer than their task can take."""
        now = self._clock.monotonic()
        for worker in self.workers.values():
            worker.kill_if_hung(now)

    async def close(self) -> None:
        """End all workers. One that has tasks is not waited for: nobody wants its answers any more."""
        workers = list(self.workers.values())
        for worker in workers:
            if worker.pending or not worker.is_ready:
                worker.kill()
            else:
                worker.close()
        async with asyncio.TaskGroup() as endings:  # unlike `gather`, it waits for all of them when it is cancelled
            for worker in workers:
                endings.create_task(in_thread(worker.end))

    def _keep_slots(self) -> None:
        for slot in range(self.active if self._is_running else 0):
            if slot not in self._kept:
                self._kept.add(slot)
                self._lives.create_task(self._keep_alive(slot))

    async def _keep_alive(self, slot: int) -> None:
        """Have a worker in the slot as long as one is wanted. Only slot 0 is given up: nothing goes without it."""
        failed_starts, pause_s = 0, FIRST_PAUSE_S
        while slot < self.active:
            if not (trouble := await self._live(slot)):
                failed_starts, pause_s = 0, FIRST_PAUSE_S
                continue
            failed_starts += 1
            if slot == 0 and failed_starts == STARTS_TO_GIVE_UP:
                raise starts_failed(self._program, trouble)
            await self.sleep(pause_s)
            pause_s = min(PAUSE_GROWTH * pause_s, LONGEST_PAUSE_S)
        self._kept.remove(slot)

    async def _live(self, slot: int) -> str:
        """One worker's life. Returns what was wrong if it could not start."""
        try:
            worker: Worker[TaskT] = await start(self._program, self._clock, self._received, slot)
        except OSError as error:  # no process or no descriptor is to be had
            return str(error)
        self.workers[slot] = worker
        worker.tell(self._employer.set_up(worker))
        self._let_go_if_unwanted(worker)
        await worker.ended
        how = await in_thread(worker.end)
        del self.workers[slot]
        if worker.is_closed:
            return ""
        if worker.exit_code != EXIT_RETIRED:
            self.deaths += 1
            _log.warning("one of the %s died (%s); what it had is given to others", self._program.name, how)
        if worker.pending:
            self._employer.take_back(death_of(worker, how))
        self._employer.give_out()
        return "" if worker.is_ready else how

    def _received(self, worker: Worker[TaskT], replies: list[memoryview]) -> None:
        """Called by a worker's connection with what has arrived."""
        if self._failure is not None:
            return  # an answer was left out: a later one must not be taken as if it had come
        try:
            self._employer.take(worker, replies)
            if worker.holds:
                self._let_go_if_unwanted(worker)
            self._employer.give_out()
        except Exception as error:  # an error in a callback of the loop would otherwise only be logged
            self._failure = error
            self._has_failed.set()

    def _let_go_if_unwanted(self, worker: Worker[TaskT]) -> None:
        """Close it once it has nothing to do. Before it is ready it could not tell that from its parent's death."""
        if worker.slot < self.active:
            worker.holds.discard(Hold.LEAVING)  # it may stay
            return
        worker.holds.add(Hold.LEAVING)
        if worker.is_ready and not worker.pending:
            worker.close()
