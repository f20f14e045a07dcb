"""The experiment's figures beside the paper's. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bench.clean.experiment import Run, all_designs, is_weft
from bench.clean.stopwatch import Stopwatch
from bench.table import NONE

MB = 1_000_000
AIM_S_PER_1000 = 1.0
# Of 200,000 pages: 7.99 h, 35 % more, 3.48 h, 5.42 h; of C1S1D the paper gives the time of 1,000 itself.
PAPER_S_PER_1000 = {"A1S1D": 143.8, "A1S2D": 194.2, "B1S1D": 62.6, "B1S2D": 97.6, "C1S1D": 19.7}

SPEED_TITLES = [
    "design", "pages", "s per 1,000", "other runs", "A1S1D ÷ it", "paper, s per 1,000", "A1S1D ÷ it",
    "CPU ms a page", "server's", "peak MB", "others",
]  # fmt: skip
SPEED_KEY = (
    "the best run of each; weft: the whole command, start included; the designs: from the first page to the last; "
    "others: the share of all cores that other work on the machine took meanwhile"
)
TIME_TITLES = [
    "thread", "operations", "connections", "statements", "database", "of its time", "waits", "cleans",
]  # fmt: skip
TIME_KEY = "for 1,000 pages, in seconds and as share of the thread's time; two deletion threads are added up"


def best_runs(runs: Sequence[Run], database: str) -> list[Run]:
    """The best run of each design, in the paper's order."""
    best: dict[str, Run] = {}
    for run in runs:
        if run.database == database and (run.design not in best or run.s_per_1000 < best[run.design].s_per_1000):
            best[run.design] = run
    return [best[name] for name in all_designs() if name in best]


def speed_rows(runs: Sequence[Run], database: str) -> list[list[str]]:
    """The paper's figure 3 as a table."""
    best = best_runs(runs, database)
    first = next((run for run in best if run.design == "A1S1D"), None)
    return [
        [
            run.design,
            f"{run.pages:,}",
            f"{run.s_per_1000:.2f}",
            _other_runs(runs, run),
            f"{first.s_per_1000 / run.s_per_1000:.1f}" if first else NONE,
            f"{paper:.1f}" if (paper := PAPER_S_PER_1000.get(run.design)) else NONE,
            f"{PAPER_S_PER_1000['A1S1D'] / paper:.1f}" if paper else NONE,
            f"{1000 * run.client_cpu_s / run.pages:.2f}",
            f"{1000 * run.server_cpu_s / run.pages:.2f}" if run.server_cpu_s else NONE,
            f"{run.peak_memory_bytes / MB:,.0f}",
            f"{run.others_share:.0%}",
        ]
        for run in best
    ]


def time_rows(runs: Sequence[Run], database: str) -> list[list[str]]:
    """The paper's figure 4 as a table: what the threads' time goes to."""
    rows = []
    for run in best_runs(runs, database):
        if run.maintaining and run.deleting:
            rows.append([f"{run.design}, S", *_times(run.maintaining, run.pages)])
            rows.append([f"{run.design}, D", *_times(run.deleting, run.pages)])
    return rows


def verdicts(runs: Sequence[Run], database: str) -> list[str]:
    """Whether weft is as fast as it must be."""
    return [_verdict(run) for run in best_runs(runs, database) if is_weft(run.design)]


def _verdict(ours: Run) -> str:
    holds = "holds" if ours.s_per_1000 <= AIM_S_PER_1000 else "does not hold"
    times = PAPER_S_PER_1000["C1S1D"] / ours.s_per_1000
    return (
        f"{ours.database}: `{ours.design}` {ours.s_per_1000:.2f} s per 1,000 pages, "
        f"wanted at most {AIM_S_PER_1000:.1f}: {holds} "
        f"(the paper's best design took {times:.0f} times as long on its machine)"
    )


def _other_runs(runs: Sequence[Run], best: Run) -> str:
    others = [
        f"{run.s_per_1000:.2f}"
        for run in runs
        if run is not best and (run.database, run.design) == (best.database, best.design)
    ]
    return ", ".join(others) or NONE


def _times(watch: Stopwatch, pages: int) -> list[str]:
    def per_1000(seconds: float) -> str:
        return f"{1000 * seconds / pages:.2f}"

    return [
        f"{1000 * watch.operations / pages:,.0f}",
        per_1000(watch.opening_s),
        per_1000(watch.statements_s),
        per_1000(watch.database_s),
        f"{watch.database_share:.0%}",
        f"{watch.waiting_share:.0%}",
        per_1000(watch.cleaning_s) if watch.cleaning_s else NONE,
    ]
