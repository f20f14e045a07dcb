"""The balancer at work: every period it reads the stages of a crawl, and gives each as many workers as it needs.

The stages know nothing of it; what it decides is worked out in `balance`.
"""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

from weft.logs import logger
from weft.pipeline.context import Context
from weft.pipeline.engine import Engine
from weft.pipeline.halts import Halt
from weft.pipeline.network import Network
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.preparations import Preparations
from weft.pipeline.visits import Visits
from weft.pipeline.work import Work
from weft.workers.balance import Balancer, Decision, Means, Reading, period_s
from weft.workers.cores import CoreMeter
from weft.workers.worker_pool import PoolReading

FIRST_LOOK_UPS, FEWEST_LOOK_UPS, MOST_LOOK_UPS = 128, 16, 512
# A slot that is not used costs nothing, so there are always enough for a fast network; for a slow one they grow.
# A crawl begins with more, since the climb takes a quarter of a second for each step.
FEWEST_SLOTS, FIRST_SLOTS = 128, 256
# To start one takes a fifth of a second of CPU, and a polite crawl of a few hosts never needs a second one.
FIRST_WORKERS = 1
_log = logger("balance")


class Totals(NamedTuple):
    """What only grows, as it was at some moment."""

    at: float
    names: float  # looked up
    names_idle_s: float
    visits: float
    visits_failed: float
    received_bytes: float
    slots_idle_s: float  # nothing was ready
    slots_blocked_s: float  # parsing was behind
    engine_cpu_s: float

    def since(self, earlier: Totals) -> Totals:
        """How much each has grown."""
        return Totals(*(now - before for now, before in zip(self, earlier, strict=True)))


class Balancing:
    """Reads and resizes the stages of one crawl."""

    def __init__(
        self,
        context: Context,
        network: Network,
        engine: Engine,
        visits: Visits,
        preparations: Preparations,
        workers: ParseWorkers[Work],
    ) -> None:
        config = context.config
        self._clock = context.clock
        self._look_ups, self._budget = network.look_ups, network.budget
        self._engine = engine
        self._visits = visits
        self._preparations = preparations
        self._workers = workers
        self._most_slots = config.connections
        self._balancer = Balancer(bandwidth=config.bandwidth)
        self._before = self._totals()
        self._cores = CoreMeter()
        self._names_before = self._jobs_before = 0  # that waited
        self.decisions: list[Decision] = []  # the last ones …
        self.readings: list[Reading] = []  # … by what was read …
        self.period_s = 0.0  # … over this time

    async def keep_balanced(self) -> None:
        """Until it is cancelled."""
        periods = 0
        while True:
            await asyncio.sleep(period_s(periods))
            pool = self._workers.pool.reading()
            if not periods and not pool.ready:
                # Before a worker is there, pages pile up and no link is known: that says nothing about the network.
                self._before = self._totals()
                self._cores.read(self._workers.pool.pids())
                continue
            periods += 1
            self._step(pool)

    def _step(self, pool: PoolReading) -> None:
        """A period is over."""
        totals = self._totals()
        passed, self._before = totals.since(self._before), totals
        self.readings = [self._resolving(passed), self._fetching(passed), self._parsing(pool)]
        self.period_s = passed.at
        self._balancer.rate = self._visits.pace.rate
        self.decisions = self._balancer.step(self.readings, passed.at)
        look_ups, slots, processes = (decision.workers for decision in self.decisions)
        for reading, decision in zip(self.readings, self.decisions, strict=True):
            if decision.workers != reading.workers:
                _log.debug("%s: from %d to %d: %s", decision.name, reading.workers, decision.workers, decision.reason)
        self._look_ups.resize(look_ups)
        self._engine.resize(slots)
        self._workers.pool.resize(processes)

    def _totals(self) -> Totals:
        visits = self._visits
        free_s = self._engine.halts.free_s()
        return Totals(
            at=self._clock.monotonic(),
            names=self._look_ups.passed,
            names_idle_s=self._look_ups.idle_s(),
            visits=visits.made + self._preparations.asked,
            visits_failed=visits.failed,
            received_bytes=visits.received_bytes,
            slots_idle_s=sum(seconds for halt, seconds in free_s.items() if halt is not Halt.PARSE),
            slots_blocked_s=free_s[Halt.PARSE],
            engine_cpu_s=time.thread_time(),
        )

    def _resolving(self, passed: Totals) -> Reading:
        waiting, before = self._look_ups.waiting, self._names_before
        self._names_before = waiting
        return Reading(
            name="resolve",
            means=Means.TASKS,
            workers=self._look_ups.size,
            least=FEWEST_LOOK_UPS,
            most=MOST_LOOK_UPS,
            done=round(passed.names),
            idle_s=passed.names_idle_s,
            buffer=waiting,
            buffer_before=before,
            are_pages=False,
        )

    def _fetching(self, passed: Totals) -> Reading:
        return Reading(
            name="fetch",
            means=Means.SLOTS,
            workers=self._engine.slots,
            least=min(FEWEST_SLOTS, self._most_slots),
            most=self._most_slots,
            done=round(passed.visits),
            failed=round(passed.visits_failed),
            idle_s=passed.slots_idle_s,
            blocked_s=passed.slots_blocked_s,
            received_bytes=round(passed.received_bytes),
            cpu_share=passed.engine_cpu_s / passed.at,
        )

    def _parsing(self, pool: PoolReading) -> Reading:
        waiting, before = self._workers.waiting(), self._jobs_before
        self._jobs_before = waiting
        return Reading(
            name="parse",
            means=Means.PROCESSES,
            workers=pool.active,
            most=self._workers.pool.slots,
            done=pool.tasks_done,
            idle_s=pool.idle_s,
            buffer=waiting,
            buffer_before=before,
            buffer_bytes=self._budget.used_bytes,
            buffer_bound_bytes=self._budget.limit_bytes,
            cores=self._cores.read(self._workers.pool.pids()),
        )
