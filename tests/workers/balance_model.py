"""A crawl in miniature, for the balancer: slots that fetch, processes that parse, a bounded buffer between them.

It goes by ticks of five milliseconds, and by chance only as far as a seed says. As in weft, no visit begins while the
buffer is full, and a slot that is free then counts as blocked; one that is free for lack of visits counts as idle.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from weft.workers.balance import Balancer, Decision, Means, Reading

TICK_S = 0.005
PERIOD_S = 1.0
PAGE_BYTES = 20_000


@dataclass(slots=True)
class World:
    """What the crawler cannot choose. It may be changed while the crawl runs."""

    latency_s: float = 0.1
    longest_s: float | None = None  # latencies between the two, each order of magnitude as often as the other
    network_per_s: float = 1000.0  # pages; more requests than that only wait longer
    parse_s: float = 0.001  # of a process, a page
    cores: int = 8
    ready_per_s: float | None = None  # visits that hosts are ready for; None: without end
    overload_slots: int | None = None  # with more than that, a share of the visits fails
    failing_share: float = 0.0  # of visits, whatever we do
    noise: float = 0.15


class Noisy:
    """Factors around 1 that differ from period to period."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self.latency = self.network = self.parse = 1.0

    def draw(self, noise: float) -> None:
        self.latency, self.network, self.parse = (1 + self._chance.uniform(-noise, noise) for _ in range(3))

    def ticks(self, world: World) -> int:
        """How long one visit takes."""
        if world.longest_s is None:
            latency_s = world.latency_s * self._chance.uniform(0.7, 1.3)
        else:
            latency_s = world.latency_s * (world.longest_s / world.latency_s) ** self._chance.random()
        return max(1, round(latency_s * self.latency / TICK_S))


class Line:
    """fetch ──▶ buffer ──▶ parse, with counters over a period."""

    def __init__(
        self,
        world: World,
        *,
        slots: int = 32,
        processes: int = 1,
        most_slots: int = 1024,
        buffer_bound: int = 256,
        bound_bytes: int | None = None,
        rate: float | None = None,
        period_s: float = PERIOD_S,
        seed: int = 1,
    ) -> None:
        self.world = world
        self.period_s = period_s
        self.slots = slots
        self.processes = processes
        self.most_slots = most_slots
        self.buffer_bound = buffer_bound
        self.bound_bytes = bound_bytes
        self.rate = rate
        self.noisy = Noisy(seed)
        self.buffer = self.pages = 0
        self._arrives: Counter[int] = Counter()
        self._in_flight = self._at_the_door = 0
        self._tick = 0
        self._network_credit = self._parse_credit = self._ready_credit = self._pace_credit = self._fail_credit = 0.0

    def run_period(self) -> list[Reading]:
        """A period passes; the readings of fetch and parse."""
        self.noisy.draw(self.world.noise)
        before, parsed_before = self.buffer, self.pages
        fetched = failed = 0
        idle_s = blocked_s = starved_s = 0.0
        for _ in range(round(self.period_s / TICK_S)):
            came, lost = self._receive()
            fetched, failed = fetched + came, failed + lost
            starved_s += self._parse()
            free = self._start()
            if self.buffer >= self.buffer_bound:
                blocked_s += free * TICK_S
            else:
                idle_s += free * TICK_S
        fetch = Reading(
            name="fetch",
            means=Means.SLOTS,
            workers=self.slots,
            least=4,
            most=self.most_slots,
            done=fetched,
            failed=failed,
            idle_s=idle_s,
            blocked_s=blocked_s,
            received_bytes=fetched * PAGE_BYTES,
        )
        parse = Reading(
            name="parse",
            means=Means.PROCESSES,
            workers=self.processes,
            least=1,
            most=self.world.cores,
            done=self.pages - parsed_before,
            idle_s=starved_s,
            buffer=self.buffer,
            buffer_before=before,
            buffer_bytes=self.buffer * PAGE_BYTES,
            buffer_bound_bytes=self.bound_bytes,
        )
        return [fetch, parse]

    def follow(self, decisions: list[Decision]) -> None:
        """Have the workers that were decided on."""
        self.slots, self.processes = (decision.workers for decision in decisions)

    def _receive(self) -> tuple[int, int]:
        self._tick += 1
        arrived = self._arrives.pop(self._tick, 0)
        self._at_the_door += arrived
        per_tick = self.world.network_per_s * self.noisy.network * TICK_S
        self._network_credit = min(self._network_credit + per_tick, per_tick + 1)
        came = min(self._at_the_door, int(self._network_credit))
        self._network_credit -= came
        self._at_the_door -= came
        self._in_flight -= came
        self._fail_credit += came * self._failing_share()
        lost = int(self._fail_credit)
        self._fail_credit -= lost
        self.buffer += came - lost
        return came, lost

    def _failing_share(self) -> float:
        limit = self.world.overload_slots
        overload = 0.0 if limit is None else max(0.0, 1 - limit / max(1, self._in_flight))
        return min(1.0, self.world.failing_share + overload)

    def _parse(self) -> float:
        capacity = min(self.processes, self.world.cores) * TICK_S / (self.world.parse_s * self.noisy.parse)
        self._parse_credit = min(self._parse_credit + capacity, capacity + 1)
        pages = min(self.buffer, int(self._parse_credit))
        self._parse_credit -= pages
        self.buffer -= pages
        self.pages += pages
        return max(0.0, self.processes * TICK_S * (1 - pages / capacity))

    def _start(self) -> int:
        """The slots that stay free."""
        free = max(0, self.slots - self._in_flight)
        starting = 0 if self.buffer >= self.buffer_bound else free
        if self.world.ready_per_s is not None:
            self._ready_credit = min(self._ready_credit + self.world.ready_per_s * TICK_S, 50)
            starting = min(starting, int(self._ready_credit))
            self._ready_credit -= starting
        if self.rate is not None:
            self._pace_credit = min(self._pace_credit + self.rate * TICK_S, 2)
            starting = min(starting, int(self._pace_credit))
            self._pace_credit -= starting
        for _ in range(starting):
            self._arrives[self._tick + self.noisy.ticks(self.world)] += 1
        self._in_flight += starting
        return free - starting


class Queue:
    """Hosts that come, wait, and are prepared: one stage of tasks, for equations (4) and (10) alone."""

    def __init__(self, *, per_s: float, each_s: float, tasks: int = 16, noise: float = 0.15, seed: int = 1) -> None:
        self.period_s = PERIOD_S
        self.per_s = per_s
        self.each_s = each_s
        self.tasks = tasks
        self._noise = noise
        self._chance = random.Random(seed)
        self.waiting = 0

    def run_period(self) -> list[Reading]:
        """A second passes."""
        before = self.waiting
        each_s = self.each_s * (1 + self._chance.uniform(-self._noise, self._noise))
        self.waiting += round(self.per_s * (1 + self._chance.uniform(-self._noise, self._noise)))
        done = min(self.waiting, int(self.tasks / each_s))
        self.waiting -= done
        idle_s = max(0.0, self.tasks - done * each_s) if not self.waiting else 0.0
        return [
            Reading(
                name="resolve",
                means=Means.TASKS,
                workers=self.tasks,
                least=16,
                most=512,
                done=done,
                idle_s=idle_s,
                buffer=self.waiting,
                buffer_before=before,
                are_pages=False,
            )
        ]

    def follow(self, decisions: list[Decision]) -> None:
        """Have the tasks that were decided on."""
        self.tasks = decisions[0].workers


@dataclass(slots=True)
class Course:
    """What happened, period by period."""

    readings: list[list[Reading]]
    decisions: list[list[Decision]]

    def workers(self, stage: str) -> list[int]:
        """The counts that a stage worked with."""
        return [reading.workers for period in self.readings for reading in period if reading.name == stage]

    def done(self, stage: str) -> list[int]:
        """What it did."""
        return [reading.done for period in self.readings for reading in period if reading.name == stage]


def run(model: Line | Queue, balancer: Balancer | None, periods: int) -> Course:
    """Let time pass; without a balancer the counts stay."""
    course = Course([], [])
    for _ in range(periods):
        readings = model.run_period()
        course.readings.append(readings)
        if balancer is not None:
            course.decisions.append(balancer.step(readings, model.period_s))
            model.follow(course.decisions[-1])
    return course
