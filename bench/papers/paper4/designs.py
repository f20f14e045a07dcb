"""Paper 4's figures 3 and 4: its five designs and `weft clean` on two databases, three times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from bench.clean.databases import DATABASE_NAMES, open_databases
from bench.clean.design_tables import PAPER_S_PER_1000
from bench.clean.experiment import SCALES, WEFT, Run, Sizes, run_experiment
from bench.clean.pages import read_corpus
from bench.clean.stopwatch import Stopwatch
from bench.command import bench_scratch
from bench.papers.charts import Bars, Lines, Point, draw
from bench.papers.claims import Claim, Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.part import RUNS, PaperPart
from bench.record import say
from bench.tools import PROJECT

DESIGNS = [*PAPER_S_PER_1000, WEFT]
TINY = Sizes(200, 30)
FIGURE_3, FIGURE_3B, FIGURE_4 = "4-figure-3.svg", "4-figure-3b.svg", "4-figure-4.svg"
LEAST_AT_HALF, MOST_AT_HALF = 35, 65  # percent of a run's time, when half of its pages are done
FOLDER = PROJECT / ".peers" / "pages"


def run_paper_4(*, is_tiny: bool) -> PaperPart:
    """All designs on both databases; rounds go forwards and backwards in turn."""
    sizes = TINY if is_tiny else SCALES["small"]
    corpus = read_corpus(FOLDER)
    with bench_scratch("paper-4", is_kept=False) as scratch, open_databases(DATABASE_NAMES, scratch) as databases:
        say("paper 4, designs")
        runs = list(run_experiment(databases, DESIGNS, corpus, sizes, RUNS, scratch))
    return shown(runs, sizes)


def shown(runs: Sequence[Run], sizes: Sizes) -> PaperPart:
    """Tables, plots and claims. Pure."""
    speed, courses, split, blocks = [], [], [], []
    steps: list[Claim] = []
    level: list[Claim] = []
    times: list[Claim] = []
    for database in dict.fromkeys(run.database for run in runs):
        rounds = by_round([run for run in runs if run.database == database])
        steps += step_claims(rounds, database)
        level += level_claims(rounds, database)
        times += time_claims(rounds, database)
        blocks.append(
            f"**{database}**\n\n{markdown(_speed_rows(rounds), SPEED_KEY)}\n\n{markdown(_time_rows(rounds), TIME_KEY)}"
        )
        speed.append(Bars(f"Paper 4, figure 3 on {database}: 1,000 pages", "A1S1D = 100", _relative(rounds)))
        title = f"Paper 4, figure 3 (b) on {database}: time over pages (first round)"
        lines = {design: time_over_pages(run) for design, run in rounds[0].items() if run.stored_s}
        courses.append(Lines(title, "% of the pages", "% of the time", lines))
        split.append(Bars(f"Paper 4, figure 4 on {database}: 1,000 pages", "seconds of a thread", _parts(rounds), True))
    note = (
        f"{sizes.pages:,} pages for C1S1D and weft, {sizes.slow_pages} for those that go page by page; {RUNS} rounds."
    )
    block = "\n\n".join([note, picture(FIGURE_3, "Time of each design, A1S1D being 100"),
                         picture(FIGURE_3B, "Time over pages, by design"),
                         picture(FIGURE_4, "What the threads' time goes to"), *blocks,
                         markdown(claims_table([*steps, *level, *times]))])  # fmt: skip
    exhibits = [
        Exhibit(4, "figure 3 (a)", "five designs: time of 1,000 pages", verdict(steps)),
        Exhibit(4, "figure 3 (b)", "time over pages, up to 200,000: straight lines", verdict(level)),
        Exhibit(4, "figure 4", "database and other time of B1S1D and C1S1D", verdict(times)),
    ]
    pictures = {FIGURE_3: draw(speed), FIGURE_3B: draw(courses), FIGURE_4: draw(split)}
    return PaperPart({"4-designs": block}, [*steps, *level, *times], exhibits, pictures, {"designs": list(runs)})


def by_round(runs: Sequence[Run]) -> list[dict[str, Run]]:
    """Runs of one database, by design, a round each."""
    rounds: list[dict[str, Run]] = []
    for run in runs:
        free = next((one for one in rounds if run.design not in one), None)
        if free is None:
            rounds.append(free := {})
        free[run.design] = run
    return rounds


def step_claims(rounds: Sequence[dict[str, Run]], database: str) -> list[Claim]:
    """The paper's order of its designs."""
    pairs = (("A1S1D", "A1S2D"), ("B1S1D", "A1S1D"), ("B1S1D", "B1S2D"), ("C1S1D", "B1S1D"))
    return [
        claim(f"{database}: {one} faster than {other}", (
            run[one].s_per_1000 < run[other].s_per_1000 for run in rounds))
        for one, other in pairs
    ]  # fmt: skip


def time_over_pages(run: Run) -> list[Point]:
    """Figure 3 (b)'s line of a design: percent of its time, over percent of its pages."""
    stored = len(run.stored_s)
    return [(0.0, 0.0), *((100 * n / stored, 100 * at / run.stored_s[-1]) for n, at in enumerate(run.stored_s, 1))]


def level_claims(rounds: Sequence[dict[str, Run]], database: str) -> list[Claim]:
    """A line is straight when half of the pages take about half of the time."""

    def is_straight(run: Run) -> bool:
        middle = next(up for across, up in time_over_pages(run) if across >= 50)
        return LEAST_AT_HALF <= middle <= MOST_AT_HALF

    return [
        claim(f"{database}: each design has half of its pages after {LEAST_AT_HALF} to {MOST_AT_HALF} % of its time", (
            all(is_straight(run) for run in designs.values() if run.stored_s) for designs in rounds))
    ]  # fmt: skip


def time_claims(rounds: Sequence[dict[str, Run]], database: str) -> list[Claim]:
    """Figure 4: the database is most of S's time; batches take that time away."""

    def share(run: Run) -> float:
        return run.maintaining.database_share if run.maintaining else 0.0

    def database_s(run: Run) -> float:
        return sum(thread_parts(run, thread)[part] for thread in "SD" for part in ("connections", "statements"))

    return [
        claim(f"{database}: the database is most of S's time in B1S1D", (share(run["B1S1D"]) > 0.5 for run in rounds)),
        claim(f"{database}: it takes both threads less than half as long in C1S1D", (
            database_s(run["C1S1D"]) < 0.5 * database_s(run["B1S1D"]) for run in rounds)),
    ]  # fmt: skip


SPEED_KEY = "seconds for 1,000 pages, mean of the rounds, lowest to highest; weft: the whole command, start included"
TIME_KEY = "seconds for 1,000 pages, mean of the rounds; S maintains the buffer, D deletes tags"


def _speed_rows(rounds: Sequence[dict[str, Run]]) -> list[list[str]]:
    rows = [["design", "s per 1,000", "runs", "A1S1D ÷ it", "paper, s per 1,000", "A1S1D ÷ it"]]
    for design in rounds[0]:
        found = [run[design].s_per_1000 for run in rounds]
        paper = PAPER_S_PER_1000.get(design)
        rows.append([
            design, f"{fmean(found):.2f}", f"{min(found):.2f}–{max(found):.2f}",
            f"{_mean(rounds, 'A1S1D') / fmean(found):.1f}", f"{paper:.1f}" if paper else "–",
            f"{PAPER_S_PER_1000['A1S1D'] / paper:.1f}" if paper else "–",
        ])  # fmt: skip
    return rows


def _time_rows(rounds: Sequence[dict[str, Run]]) -> list[list[str]]:
    rows = [["thread", "connections", "statements", "waits", "cleans and other", "database's share"]]
    for design in ("B1S1D", "C1S1D"):
        for thread in "SD":
            parts = [thread_parts(run[design], thread) for run in rounds]
            means = {name: fmean(part[name] for part in parts) for name in parts[0]}
            database = (means["connections"] + means["statements"]) / max(1e-9, sum(means.values()))
            rows.append([f"{design}, {thread}", *(f"{value:.2f}" for value in means.values()), f"{database:.0%}"])
    return rows


def thread_parts(run: Run, thread: str) -> dict[str, float]:
    """What a thread's time goes to, for 1,000 pages."""
    watch = (run.maintaining if thread == "S" else run.deleting) or Stopwatch()
    known = watch.opening_s + watch.statements_s + watch.waiting_s
    parts = {
        "connections": watch.opening_s,
        "statements": watch.statements_s,
        "waits": watch.waiting_s,
        "cleans and other": max(0.0, watch.whole_s - known),
    }
    return {name: 1000 * seconds / run.pages for name, seconds in parts.items()}


def _relative(rounds: Sequence[dict[str, Run]]) -> dict[str, dict[str, float]]:
    ours, paper = _mean(rounds, "A1S1D"), PAPER_S_PER_1000["A1S1D"]
    return {
        design: {"here": 100 * _mean(rounds, design) / ours, "paper": 100 * PAPER_S_PER_1000.get(design, 0.0) / paper}
        for design in rounds[0]
    }


def _parts(rounds: Sequence[dict[str, Run]]) -> dict[str, dict[str, float]]:
    return {
        f"{design}, {thread}": {
            name: fmean(thread_parts(run[design], thread)[name] for run in rounds)
            for name in ("connections", "statements", "waits", "cleans and other")
        }
        for design in ("B1S1D", "C1S1D")
        for thread in "SD"
    }


def _mean(
    rounds: Sequence[dict[str, Run]], design: str, of: Callable[[Run], float] = lambda run: run.s_per_1000
) -> float:
    return fmean(of(run[design]) for run in rounds)
