"""Paper 1's equation (3): how long a thread waits for a shared queue, measured and by T = n·m·t ÷ 10.

n threads put m URLs each into one queue, and a put holds its lock for t. Between two puts a thread does other work: how
much decides how busy the lock is, and that the equation does not have. It supposes that half of the threads put, and
that a fifth of their puts overlap.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from statistics import fmean

import msgspec

from bench.papers.charts import Lines, draw
from bench.papers.claims import Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, SEED, PaperPart
from bench.record import say

HOLD_S = 0.001  # t: a put; it sleeps, so that Python's own lock plays no part
LOADS = (0.25, 0.5, 1.0, 2.0, 4.0)  # n·t ÷ time between two puts of a thread
THREADS = (10, 30)
PLOT = "1-equation-3.svg"


class Waiting(msgspec.Struct, frozen=True):
    """One measurement."""

    threads: int
    load: float
    puts: int  # m, of each thread
    hold_s: float  # t, as measured
    waited_s: float  # by a thread, on average
    busy: float  # share of the time in which the lock was held

    @property
    def by_equation_s(self) -> float:
        """n·m·t ÷ 10."""
        return self.threads * self.puts * self.hold_s / 10

    @property
    def ratio(self) -> float:
        """Measured ÷ equation."""
        return self.waited_s / self.by_equation_s


def run_queueing(puts: int) -> PaperPart:
    """All loads and numbers of threads, three times."""
    runs = []
    for number in range(RUNS):
        say(f"paper 1, equation (3): run {number + 1}")
        runs.append([measure(threads, load, puts) for threads in THREADS for load in LOADS])
    return shown(runs)


def measure(threads: int, load: float, puts: int) -> Waiting:
    """Threads that put and think, until each has put its URLs."""
    lock = threading.Lock()
    think_s = threads * HOLD_S / load
    waited, held = [0.0] * threads, [0.0] * threads

    def work(number: int) -> None:
        chance = random.Random(SEED + number)
        for _ in range(puts):
            time.sleep(chance.expovariate(1 / think_s))
            asked = time.perf_counter()
            with lock:
                got = time.perf_counter()
                time.sleep(HOLD_S)
                held[number] += time.perf_counter() - got
            waited[number] += got - asked

    began = time.perf_counter()
    working = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in working:
        thread.start()
    for thread in working:
        thread.join()
    seconds = time.perf_counter() - began
    return Waiting(threads, load, puts, sum(held) / (threads * puts), fmean(waited), sum(held) / seconds)


def shown(runs: Sequence[Sequence[Waiting]]) -> PaperPart:
    """Table, plot and claims. Pure."""
    rows = [["threads n", "asked for", "lock held", "waited, ms", "n·m·t ÷ 10, ms", "measured ÷ equation", "runs"]]
    lines: dict[str, list[tuple[float, float]]] = {}
    for place, one in enumerate(runs[0]):
        same = [run[place] for run in runs]
        ratios = [each.ratio for each in same]
        rows.append([
            str(one.threads), f"{one.load:.0%}", f"{fmean(each.busy for each in same):.0%}",
            f"{1000 * fmean(each.waited_s for each in same):.0f}",
            f"{1000 * fmean(each.by_equation_s for each in same):.0f}", f"{fmean(ratios):.2f}",
            f"{min(ratios):.2f}–{max(ratios):.2f}",
        ])  # fmt: skip
        lines.setdefault(f"measured, {one.threads} threads", []).append((one.load, fmean(ratios)))
    lines["equation (3)"] = [(load, 1.0) for load in LOADS]
    right = claim("waiting within a factor 2 of n·m·t ÷ 10 at every load", (_is_right(run) for run in runs))
    claims = [
        right,
        claim("a load of a quarter: waiting less than half of n·m·t ÷ 10", (_at_quarter(run) < 0.5 for run in runs)),
        claim("full load: waiting more than 5 times n·m·t ÷ 10", (run[-1].ratio > 5 for run in runs)),
    ]
    key = (
        f"m = {runs[0][0].puts} puts of each thread, t = {1000 * HOLD_S:g} ms; asked for: n·t ÷ time between two puts; "
        f"waited: by one thread in all; {RUNS} runs, lowest to highest"
    )
    block = "\n\n".join([picture(PLOT, "Waiting beside equation (3), by load"), markdown(rows, key),
                         markdown(claims_table(claims))])  # fmt: skip
    plot = draw([Lines("Paper 1, equation (3): waiting for a shared queue", "load asked of the lock",
                       "waited ÷ (n·m·t ÷ 10)", lines, is_log=True)])  # fmt: skip
    exhibit = Exhibit(1, "equation (3)", "waiting by synchronisation, n·m·t ÷ 10", verdict([right]))
    return PaperPart({"1-equation-3": block}, claims, [exhibit], {PLOT: plot}, {"queueing": [list(r) for r in runs]})


def _is_right(run: Sequence[Waiting]) -> bool:
    return all(0.5 <= one.ratio <= 2 for one in run)


def _at_quarter(run: Sequence[Waiting]) -> float:
    return max(one.ratio for one in run if one.load == LOADS[0])
