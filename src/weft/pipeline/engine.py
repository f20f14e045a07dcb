"""The loop that takes pages along their way and keeps every part of weft busy.

    frontier.next ─┬─▶ preparations (dns, robots) ───────────────────────────────────────┐
         ▲         └─▶ visits (fetch) ──▶ workers (parse, store) ──▶ commits (ledger) ───┤
         └───────────────────────────────────────────────────────────────────────────────┘

`_pump` starts whatever may start; everything that ends calls for it again (`loop`). Nothing here waits for politeness:
the frontier does, and hands out only what may be fetched now.
"""

from __future__ import annotations

import asyncio
from enum import Enum

from weft.fetch import MemoryBudget
from weft.frontier import Frontier, Preparation, SideTurn
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors, OwnLimits
from weft.pipeline.halts import Halt, HaltClock
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.preparations import Preparations
from weft.pipeline.relax import Relaxer
from weft.pipeline.visits import Visits
from weft.pipeline.work import Work
from weft.types import Visit
from weft.workers.grace import Grace

JOBS_WAITING_PER_WORKER = 32
# Of the memory for bodies. With less of it in use pages may wait in the slots that the balancer has not given out, too:
# hosts that fall due all at once are asked on time, and their pages read when nobody is due. Without a delay nobody is
# ever late, and to run ahead of the workers would only have links found later.
LITTLE_MEMORY = 1 / 8
SPOOLED_BYTES = 1 << 30  # of pages that wait for the one worker that reads what must be apart


class Ending(Enum):
    """Why a run ended."""

    DONE = "done"
    LIMIT = "limit"
    INTERRUPTED = "interrupted"
    SEEDS_FAILED = "seeds-failed"


class Engine:
    """Runs one crawl from its present state until nothing is left, a limit is reached or `stop` is called."""

    def __init__(
        self,
        context: Context,
        doors: Doors,
        frontier: Frontier,
        preparations: Preparations,
        visits: Visits,
        relaxer: Relaxer,
        workers: ParseWorkers[Work],
        budget: MemoryBudget,
    ) -> None:
        self._clock = context.clock
        self._counters = context.counters
        self._loop = context.loop
        self._consents = doors.consents
        self._limits = doors.limits or OwnLimits(context.config, context.counters)
        self._serves_others = doors.limits is not None  # who has a part of the limits
        self._frontier = frontier
        self._preparations = preparations
        self._visits = visits
        self._relaxer = relaxer
        self._workers = workers
        self._budget = budget
        self._has_delay = context.config.delay_s > 0
        self._most_slots = context.config.connections
        self.slots = self._most_slots  # requests that may be under way at once
        self.halts = HaltClock(context.clock)
        self._over: asyncio.Future[Ending] | None = None  # while it runs
        self._stopping: Ending | None = None
        self._grace = Grace(context.clock)

    async def run(self, tasks: asyncio.TaskGroup) -> Ending:
        """Drive the crawl to its end."""
        self._over = asyncio.get_running_loop().create_future()
        self._loop.begin(self._pump, tasks)
        try:
            return await self._over
        finally:
            self._preparations.cancel()
            self._visits.cancel()  # only those that were not waited for; their rows are still in the queue
            self._loop.end()

    def stop(self, ending: Ending) -> None:
        """Start nothing more; the run ends when what is under way has ended, or its time of grace is over."""
        self._stopping = self._stopping or ending
        self._grace.begin()
        self._loop.pump_soon()

    def end_if_late(self) -> None:
        """Give up what is still under way when a stop has waited long enough. All of it is left for another run."""
        if self._stopping is not None and self._grace.is_over:
            self._end(self._stopping)

    def resize(self, slots: int) -> None:
        """Have at most this many requests under way at once, from now on."""
        self.slots = slots
        self._loop.pump_soon()

    def fail(self, error: Exception) -> None:
        """End the run at once with an error. What is committed is whole."""
        if self._over is not None and not self._over.done():
            self._over.set_exception(error)

    def _end(self, ending: Ending) -> None:
        if self._over is not None and not self._over.done():
            self._over.set_result(ending)

    def under_way(self) -> int:
        """Requests, those for robots.txt among them."""
        return len(self._visits) + self._preparations.asking

    def _pump(self) -> None:
        if self._over is None or self._over.done():
            return
        try:
            room = self._room()
            while (halt := self._halted_by(room)) is None:
                if (turn := self._frontier.next()) is None:
                    halt = Halt.NO_HOST
                    break
                self._begin(turn)
            if halt is Halt.LIMIT and self._serves_others:
                self._begin_side_turns()
            self.halts.note(halt, self.slots - self.under_way())
            self._visits.commit_refusals()
            self._relaxer.start_some()
            if not (self.under_way() or self._workers.unfinished()):
                self._end_if_over()
            if halt in (Halt.NO_HOST, Halt.PACE) and not self._over.done():  # else whatever ends next pumps again
                self._pump_when_a_host_wakes()
        except Exception as error:  # in a callback of the loop it would only be logged; here it ends the crawl
            self.fail(error)

    def _room(self) -> int:
        """How many requests the workers leave room for; what is begun now comes to them later."""
        if self._budget.full or self._workers.spooled_bytes() > SPOOLED_BYTES:
            return 0
        may_run_ahead = self._has_delay and self._budget.used_bytes < LITTLE_MEMORY * self._budget.limit_bytes
        return (self._most_slots if may_run_ahead else self.slots) - self._behind()

    def _halted_by(self, room: int) -> Halt | None:
        """Why no further turn may begin; None if one may."""
        if self._stopping is not None:
            return Halt.STOPPING
        under_way = self.under_way()
        if under_way >= self.slots:
            return Halt.SLOTS
        if under_way >= room:
            return Halt.PARSE
        for consent in self._consents:
            if (halt := consent.halt()) is not None:
                return halt
        if self._limit_is_near():
            return Halt.LIMIT
        return self._visits.halt()

    def _behind(self) -> int:
        """The one rule of back-pressure: pages beyond what the workers need at hand take slots, a slot each."""
        return max(0, self._workers.waiting() - JOBS_WAITING_PER_WORKER * self._workers.pool.active)

    def _limit_is_near(self) -> bool:
        """True when what is under way may be all that the limits allow."""
        return self._limits.is_near(len(self._visits) + self._workers.unfinished())

    def _begin(self, turn: Visit | SideTurn | Preparation) -> None:
        if isinstance(turn, Visit):
            self._visits.begin(turn)
        elif isinstance(turn, SideTurn):
            self._preparations.give(turn)
        else:
            self._preparations.begin(turn)

    def _begin_side_turns(self) -> None:
        """Somebody who may still fetch pages may wait for a robots.txt that is ours to ask for."""
        while self.under_way() < self.slots and (turn := self._frontier.next_side_turn()) is not None:
            self._begin(turn)

    def _end_if_over(self) -> None:
        if self._stopping is not None:
            self._end(self._stopping)
        elif self._limits.is_reached():
            self._end(Ending.LIMIT)
        elif self._relaxer.has_work() or self._frontier.has_work():
            pass
        elif self._relaxer.judge_again():
            self._loop.pump_soon()
        elif all(consent.may_end() for consent in self._consents):
            has_left = self._frontier.parked.count and self._counters.queued
            self._end(Ending.LIMIT if has_left else Ending.DONE)

    def _pump_when_a_host_wakes(self) -> None:
        if (wait_s := self._frontier.seconds_to_next()) is not None:
            self._loop.pump_in(max(wait_s, self._visits.pace.wait_s(self._clock.monotonic())))
