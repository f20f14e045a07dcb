"""How many workers each stage gets, so that none waits for another: the pipeline load balancing of paper 3.

    resolve ──▶ fetch ──▶ parse (and store)

Each period every stage is read, and `Balancer.step` says how many workers it should have next. Nothing here has a clock
or acts: the caller in `crawl` reads and resizes.

| reading | resolve | fetch | parse |
|---|---|---|---|
| a worker is | a host being prepared at once | a slot for a visit | a process |
| done | hosts prepared | visits that ended | jobs answered |
| buffer | hosts that wait for preparation | not looked at: visits ready now | jobs that no worker has yet |
| buffer's bytes | none | none | bodies in memory, `MemoryBudget` |
| failed | none | time-outs, resets | none |
| idle: starved | places without a host | slots free, nothing ready | workers ready, without a job |
| blocked on output | never | slots free, while parsing is behind | never |

Three corrections to the paper. Its equation (10) puts the speed of the stage before where the stage's own belongs. Its
buffers have no bound: here time that the stage before was blocked counts as growth, by what it would have put in. And
its counts swing (figure 3), so a change must be asked for several periods in a row, small ones are left, and a stage
that grows again after it shrank takes longer to shrink the next time.

A process more brings nothing where the crawl fills the cores already: it only takes time from the others, and each has
its own start and its own memory. Where others fill them, it brings our share of them up to a fourth.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from enum import Enum
from math import ceil, floor

import msgspec

from weft.workers.cores import Cores
from weft.workers.slots import HEADROOM, SlotClimb, SlotPeriod

PERIOD_S = 1.0
# At the start nothing is known, and a small job has no time to lose.
FIRST_PERIOD_S = 0.25
FIRST_PERIODS = 16
DRAIN_PERIODS = 8  # n in equation (10): what has piled up is gone after N periods
DEAD_ZONE = 0.1  # of the workers: smaller changes are left
FULL_SHARE = 0.75  # of a buffer's bytes: from there on the stage before gets no more workers
CPU_IS_FULL = 0.97
CORES_ARE_FULL = "the cores are full"
LITTLE_FREE = 0.4  # of a core: a process more finds no room there
OUR_SHARE = 0.25  # of the cores: with less of them we are not who fills them
LITTLE_IDLE = 0.05  # of the time of a stage's workers: it takes no more
GROW_PATIENCE = 2  # periods
MOST_PATIENCE = 64
SMOOTHING = 0.1


def period_s(periods: int) -> float:
    """How long the next period is, after N of them."""
    return FIRST_PERIOD_S if periods < FIRST_PERIODS else PERIOD_S


class Means(Enum):
    """What a stage's workers are."""

    TASKS = "tasks"  # cost nothing until used
    SLOTS = "slots"  # tasks whose input never ends: how many are worth it has to be tried
    PROCESSES = "processes"  # take a core when busy, and time to start


LARGEST_STEP = {Means.TASKS: 4.0, Means.PROCESSES: 2.0}
SHRINK_PATIENCE = {Means.TASKS: 3, Means.PROCESSES: 7}  # periods


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A stage in the last period. Times are of all its workers together."""

    name: str
    means: Means
    workers: int
    least: int = 1
    most: int
    done: int
    idle_s: float = 0.0
    blocked_s: float = 0.0
    buffer: int = 0
    buffer_before: int = 0
    buffer_bytes: int = 0
    buffer_bound_bytes: int | None = None
    are_pages: bool = True  # what passes through: then --rate concerns it
    failed: int = 0  # of those done: time-outs and resets
    received_bytes: int = 0
    cpu_share: float = 0.0  # of one core, of the process in which its workers are tasks
    cores: Cores | None = None  # of processes: what the machine has left for them; None: not known

    def busy_s(self, period_s: float) -> float:
        """Time in which its workers worked."""
        return max(0.0, self.workers * period_s - self.idle_s - self.blocked_s)

    def fills_cores(self) -> bool:
        """Whether it is us who leave no room for another process."""
        cores = self.cores
        return cores is not None and cores.free < LITTLE_FREE and cores.ours >= OUR_SHARE * cores.all

    def has_all(self) -> bool:
        """Whether it has as many workers as it can get now."""
        return self.workers >= self.most or self.fills_cores()


class Decision(msgspec.Struct, frozen=True):
    """The workers that a stage should have, and why, for the log and the dashboard."""

    name: str
    workers: int
    reason: str


def shrink_by(idle_s: float, period_s: float) -> int:
    """Equation (4): the workers that might as well have slept all the time."""
    return floor(idle_s / period_s + 1e-9)


def grow_by(workers: int, done: float, growth: float, buffer: float, drain_periods: int = DRAIN_PERIODS) -> float:
    """Equation (10), corrected: the workers that keep up with the stage before, and empty the buffer in n periods.

    The paper drains the last period's growth only, (n + 1) / n · Δb, and what was left before stays for ever; here it
    is the whole buffer, Δb + b / n. With a buffer that was empty before the two are the same.
    """
    surplus = growth + buffer / drain_periods
    if done:
        return surplus / done * workers
    return float(workers) if surplus > 0 else 0.0


class Balancer:
    """The worker counts of all stages, from period to period; `rate` or `bandwidth` is the paper's constant c."""

    def __init__(self, *, rate: float | None = None, bandwidth: float | None = None) -> None:
        self.rate = rate
        self._bandwidth = bandwidth
        self._bytes_a_page = 0.0
        self._most_yet: dict[str, int] = {}  # workers of each stage
        self._damped: dict[str, _Damped] = {}
        self._climbs: dict[str, SlotClimb] = {}

    @property
    def pages_per_s(self) -> float | None:
        """What the crawl is allowed in all; None when there is no limit or, by bandwidth, nothing is known yet."""
        limits = [self.rate] if self.rate else []
        if self._bandwidth and self._bytes_a_page:
            limits.append(self._bandwidth / self._bytes_a_page)
        return min(limits, default=None)

    def step(self, readings: Sequence[Reading], period_s: float) -> list[Decision]:
        """Each stage's workers for the next period. Readings come in the order in which pages pass the stages."""
        for reading in readings:
            self._learn_size(reading)
        decisions = []
        for place, reading in enumerate(readings):
            before = readings[place - 1] if place else None
            after = readings[place + 1] if place + 1 < len(readings) else None
            held = self._why_held(reading, after, period_s)
            if reading.means is Means.SLOTS:
                workers, reason = self._climb(reading, after, held, period_s)
            else:
                damped = self._damped.setdefault(reading.name, _Damped(reading.means))
                workers, reason = damped.step(reading, held, _held_up(before, period_s), period_s)
            decisions.append(Decision(reading.name, max(reading.least, min(workers, reading.most)), reason))
            self._most_yet[reading.name] = max(reading.workers, self._most_yet.get(reading.name, 0))
        return decisions

    def _climb(self, reading: Reading, after: Reading | None, held: str, period_s: float) -> tuple[int, str]:
        climb = self._climbs.setdefault(reading.name, SlotClimb())
        period = SlotPeriod(
            seconds=period_s,
            slots=reading.workers,
            least=reading.least,
            most=self._most(reading, period_s),
            busy_s=reading.busy_s(period_s),
            is_blocked=reading.blocked_s > 0.02 * reading.workers * period_s and (after is None or after.has_all()),
            has_new_room=after is not None and after.workers > self._most_yet.get(after.name, after.workers),
            answered=reading.done - reading.failed,
            failed=reading.failed,
            held=held,
        )
        return climb.step(period)

    def _why_held(self, reading: Reading, after: Reading | None, period_s: float) -> str:
        """Why a stage must not grow now, if so."""
        if after is not None and after.buffer_bound_bytes is not None:
            share = after.buffer_bytes / after.buffer_bound_bytes
            if share >= FULL_SHARE:
                return f"what waits for {after.name} takes {share:.0%} of its memory"
        if after is not None and after.has_all() and after.idle_s < LITTLE_IDLE * after.workers * period_s:
            return f"{after.name} has no time left"
        if reading.cpu_share >= CPU_IS_FULL:
            return "the engine's core is full"
        if reading.fills_cores():
            return CORES_ARE_FULL
        if self._most(reading, period_s) <= reading.workers < reading.most:
            return f"enough for {self.pages_per_s:.0f} pages/s"
        return ""

    def _most(self, reading: Reading, period_s: float) -> int:
        """No more than c needs, by equation (2): n · v = c. It stops growth; what is too many is idle, and shrinks."""
        pages_per_s = self.pages_per_s
        if pages_per_s is None or not reading.are_pages or not reading.done:
            return reading.most
        enough = ceil(HEADROOM * pages_per_s * reading.busy_s(period_s) / reading.done)
        return min(reading.most, max(reading.workers, enough))

    def _learn_size(self, reading: Reading) -> None:
        if reading.received_bytes and reading.done:
            mean = reading.received_bytes / reading.done
            self._bytes_a_page += (SMOOTHING if self._bytes_a_page else 1.0) * (mean - self._bytes_a_page)


class _Damped:
    """One stage's equations (4) and (10), and its memory of what they asked for."""

    def __init__(self, means: Means) -> None:
        self._largest_step = LARGEST_STEP[means]
        self._least_patience = self._patience = SHRINK_PATIENCE[means]
        self._has_shrunk = False
        self._was_held = ""  # in the period before: nothing grows on what one of them alone says
        self._surpluses: deque[int] = deque(maxlen=MOST_PATIENCE)
        self._wants: deque[float] = deque(maxlen=GROW_PATIENCE)

    def step(self, reading: Reading, held: str, held_up: float, period_s: float) -> tuple[int, str]:
        """Workers and reason; `held_up` is what the stage before would have put into the buffer."""
        workers = max(1, reading.workers)
        self._was_held, held = held, held or self._was_held
        growth = reading.buffer - reading.buffer_before + held_up
        busy_share = reading.busy_s(period_s) / (workers * period_s)
        done_at_full_load = reading.done / busy_share if busy_share else 0.0
        self._wants.append(grow_by(workers, done_at_full_load, growth, reading.buffer))
        self._surpluses.append(shrink_by(reading.idle_s, period_s))
        if (surplus := self._agreed_surplus(workers)) and workers > reading.least:
            self._has_shrunk = True
            self._forget()
            return workers - surplus, f"shrink: {reading.idle_s:.1f} s idle in {period_s:.2g} s"
        wanted = sum(self._wants) / GROW_PATIENCE if len(self._wants) == GROW_PATIENCE else 0.0
        if wanted < DEAD_ZONE * workers or self._wants[-1] <= 0:
            return workers, f"hold: {reading.buffer} wait, {growth:+.0f} in {period_s:.2g} s"
        if held or workers >= reading.most:
            return workers, f"hold: {held or 'as many as are allowed'}"
        if self._has_shrunk:
            self._patience = min(MOST_PATIENCE, self._patience * 2)
            self._has_shrunk = False
        self._forget()
        more = ceil(min(wanted, workers * (self._largest_step - 1)) - 1e-9)
        each = done_at_full_load / workers
        return workers + more, f"grow: {reading.buffer} wait, {growth:+.0f} in {period_s:.2g} s, {each:.0f} a worker"

    def _agreed_surplus(self, workers: int) -> int:
        """What has been too many for long enough; when most have nothing to do, sooner."""
        for patience in (self._least_patience, self._patience):
            surplus = min(list(self._surpluses)[-patience:])
            is_enough = surplus > workers / 2 if patience < self._patience else surplus >= max(1, DEAD_ZONE * workers)
            if len(self._surpluses) >= patience and is_enough:
                return surplus
        return 0

    def _forget(self) -> None:
        """What was asked for under other counts says nothing about these."""
        self._wants.clear()
        self._surpluses.clear()


def _held_up(before: Reading | None, period_s: float) -> float:
    """What the stage before would have put into the buffer, had it not been blocked."""
    if before is None or not before.blocked_s:
        return 0.0
    busy_s = before.busy_s(period_s)
    return before.blocked_s * before.done / busy_s if busy_s else 0.0
