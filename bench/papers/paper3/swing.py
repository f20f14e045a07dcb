"""Paper 3's figure 3: worker counts and buffer by its own equation (10), corrected, and as weft damps it.

A model, so that all three meet the same load: module 1 has n₁ threads that each finish v₁ pages a period, module 2
empties the buffer between them, v₂ pages a worker and period. v₂ is not v₁: as printed, (10) divides by v₁.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import floor
from statistics import correlation, fmean

import msgspec

from bench.papers.charts import Lines, draw
from bench.papers.claims import Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, SEED, PaperPart
from weft.workers.balance import Balancer, Means, Reading

PERIODS = 60
STAGE_1, V1, V2 = 60, 1.0, 3.0  # 60 threads make 60 pages a period: 20 workers of module 2 are right
NOISE = 0.15
MOST = 500
N = 1  # periods in which growth is to be gone: the paper's choice
PLOT = "3-figure-3.svg"
PRINTED, CORRECTED, DAMPED = "(10) as printed", "(10) corrected", "weft, damped"


class Period(msgspec.Struct, frozen=True):
    """What module 2 did."""

    workers: int
    arrived: int
    done: int
    idle: float  # workers that had nothing to do, all the time
    buffer: int
    buffer_before: int

    @property
    def growth(self) -> int:
        """Of the buffer."""
        return self.buffer - self.buffer_before


Control = Callable[[Period], int]


def as_printed(period: Period) -> int:
    """(10) and (4) word by word: Δn = (n+1)/n · Δb/p₁ · n₁, and the workers that slept all the time go."""
    if period.growth > 0:
        return period.workers + round((N + 1) / N * period.growth / period.arrived * STAGE_1)
    return period.workers - floor(period.idle)


def corrected(period: Period) -> int:
    """With the module's own speed, and nothing that damps: Δn = (n+1)/n · Δb/p₂ · n₂."""
    if period.growth > 0:
        return period.workers + round((N + 1) / N * period.growth / max(1, period.done) * period.workers)
    return period.workers - floor(period.idle)


def damped() -> Control:
    """weft's own."""
    balancer = Balancer()

    def control(period: Period) -> int:
        reading = Reading(
            name="module 2", means=Means.TASKS, workers=period.workers, most=MOST, done=period.done,
            idle_s=period.idle, buffer=period.buffer, buffer_before=period.buffer_before, are_pages=False,
        )  # fmt: skip
        return balancer.step([reading], 1.0)[0].workers

    return control


def course(control: Control, seed: int) -> list[Period]:
    """All periods under one control."""
    chance = random.Random(seed)
    workers, buffer, found = 10, 0, []
    for _ in range(PERIODS):
        arrived = round(STAGE_1 * V1 * (1 + chance.uniform(-NOISE, NOISE)))
        speed = V2 * (1 + chance.uniform(-NOISE, NOISE))
        done = min(buffer + arrived, int(workers * speed))
        before, buffer = buffer, buffer + arrived - done
        idle = max(0.0, workers - done / speed) if not buffer else 0.0
        found.append(Period(workers, arrived, done, idle, buffer, before))
        workers = max(1, min(MOST, control(found[-1])))
    return found


def swing(periods: Sequence[Period]) -> float:
    """By how much the count changes from one period to the next, of its mean; after the first ten."""
    counts = [period.workers for period in periods[10:]]
    return fmean(abs(after - before) for before, after in pairwise(counts)) / fmean(counts)


def opposition(periods: Sequence[Period]) -> float:
    """Correlation of workers and growth of the buffer: the paper's figure has them go opposite ways."""
    workers, growth = [p.workers for p in periods[10:]], [p.growth for p in periods[10:]]
    return correlation(workers, growth) if len(set(workers)) > 1 and len(set(growth)) > 1 else 0.0


def run_swing() -> PaperPart:
    """Three seeds."""
    runs = [
        {
            PRINTED: course(as_printed, SEED + number),
            CORRECTED: course(corrected, SEED + number),
            DAMPED: course(damped(), SEED + number),
        }
        for number in range(RUNS)
    ]
    return shown(runs)


def shown(runs: Sequence[dict[str, list[Period]]]) -> PaperPart:
    """Table, plot and claims. Pure."""
    rows = [["control", "workers, mean", "most", "changes by", "buffer, mean", "idle, mean", "workers against growth"]]
    for name in runs[0]:
        periods = [period for run in runs for period in run[name][10:]]
        rows.append([
            name, f"{fmean(p.workers for p in periods):.0f}", str(max(p.workers for p in periods)),
            f"{fmean(swing(run[name]) for run in runs):.0%} a period", f"{fmean(p.buffer for p in periods):.0f}",
            f"{fmean(p.idle for p in periods):.1f}", f"{fmean(opposition(run[name]) for run in runs):+.2f}",
        ])  # fmt: skip
    claims = [
        claim("as printed, workers and growth of the buffer go opposite ways", (
            opposition(run[PRINTED]) < -0.3 for run in runs)),
        claim("weft's count changes by less than half of the printed one's", (
            swing(run[DAMPED]) < swing(run[PRINTED]) / 2 for run in runs)),
        claim("(10) as printed takes more workers at once than corrected", (
            max(p.workers for p in run[PRINTED]) > max(p.workers for p in run[CORRECTED]) for run in runs)),
    ]  # fmt: skip
    key = (
        f"{RUNS} seeds from {SEED}, {PERIODS} periods, without the first ten; 20 workers are right; noise ±{NOISE:.0%} "
        "of each speed; against growth: correlation"
    )
    panels = [
        Lines(f"Paper 3, figure 3: {name}", "period", "workers; pages in buffer", {
            "workers": [(float(at), float(p.workers)) for at, p in enumerate(periods)],
            "buffer": [(float(at), float(p.buffer)) for at, p in enumerate(periods)],
        }, most=80.0)
        for name, periods in runs[0].items()
    ]  # fmt: skip
    block = "\n\n".join([picture(PLOT, "Workers and buffer by equation (10), corrected and damped"),
                         markdown(rows, key), markdown(claims_table(claims))])  # fmt: skip
    exhibit = Exhibit(3, "figure 3", "worker count and buffer swing against each other", verdict(claims[:1]))
    return PaperPart({"3-figure-3": block}, claims, [exhibit], {PLOT: draw(panels)}, {"swing": list(runs)})
