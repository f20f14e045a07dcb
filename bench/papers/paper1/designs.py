"""Paper 1's table 2 and figure 6: seven crawlers on the same site, and what a shared queue can cost."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import msgspec

from bench.papers.charts import Lines, draw
from bench.papers.claims import Claim, Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.paper1.crawler import Crawled, Design, PaperCrawler, Site
from bench.papers.paper1.readers import read_blocking, read_event, read_select
from bench.papers.paper1.server import LINKS, served
from bench.papers.paper1.waits import WATCHED, cost_us
from bench.papers.part import RUNS, PaperPart
from bench.record import say

FACTOR = 10
PAGE_BYTES = 30_000  # 1.41 GB ÷ (26 pages/s · 30 min)
PAGE_S = 1.0  # 30 threads with 26 pages/s have 1.15 s for a page
TIMEOUT_S = 2.0
WARM_UP_S = 1.0
HOLDS_S = (0.0, 0.002, 0.005, 0.01, 0.02)  # of putting one URL into the shared queue, paper's time
VOLUME_PLOT, HOLD_PLOT = "1-figure-6.svg", "1-shared-queue.svg"
FULL = "full design"
READERS = {"event": read_event, "select": read_select, "none": read_blocking}


class Row(msgspec.Struct, frozen=True):
    """A crawler of the table, and what the paper measured."""

    name: str
    design: Design
    paper_pages_per_s: int
    paper_gb: float


ROWS = (
    Row(FULL, Design("event", True, 30, True), 26, 1.41),
    Row("shared queue", Design("event", True, 30, False), 5, 0.33),
    Row("20 threads", Design("event", True, 20, True), 13, 0.69),
    Row("no DNS cache", Design("event", False, 30, True), 16, 0.95),
    Row("select", Design("select", True, 30, True), 14, 0.79),
    Row("blocking, no cache", Design("none", False, 30, True), 6, 0.47),
    Row("blocking, no cache, shared", Design("none", False, 30, False), 3, 0.21),
)
Run = dict[str, Crawled]


def run_designs(seconds: float) -> PaperPart:
    """Three runs of all rows, every second one backwards; then longer and longer locks."""
    with served() as port:
        site = Site(port, PAGE_BYTES, PAGE_S / FACTOR, TIMEOUT_S / FACTOR, FACTOR)
        _crawl(ROWS[0].design, site, WARM_UP_S)
        runs = []
        for number in range(RUNS):
            say(f"paper 1, table 2: run {number + 1}")
            ordered = ROWS if number % 2 == 0 else ROWS[::-1]
            runs.append({row.name: _crawl(row.design, site, seconds) for row in ordered})
        locked = [
            (hold_s, _crawl(msgspec.structs.replace(ROWS[1].design, hold_s=hold_s / FACTOR), site, seconds))
            for hold_s in HOLDS_S
        ]
    calls = {watched: cost_us(watched) for watched in WATCHED}
    return shown(runs, locked, calls, seconds)


def _crawl(design: Design, site: Site, seconds: float) -> Crawled:
    # Only the blocking crawlers do without a look for the end: it came with the event design.
    return PaperCrawler(design, site, READERS[design.io], ends=design.io != "none").run(seconds)


def shown(
    runs: Sequence[Run], locked: Sequence[tuple[float, Crawled]], calls: dict[int, dict[str, float]], seconds: float
) -> PaperPart:
    """Tables, plots and claims. Pure."""
    claims = table_claims(runs)
    blocks = {
        "1-table-2": "\n\n".join([
            markdown(_table(runs), _key(seconds)),
            markdown(claims_table(claims)),
            picture(HOLD_PLOT, "Pages a second by the time that a URL's entry into the shared queue takes"),
            markdown(_locked(locked), LOCKED_KEY),
            markdown(_calls(calls), "CPU microseconds of one call that finds one socket ready, by sockets watched"),
        ]),
        "1-figure-6": picture(VOLUME_PLOT, "Volume over time, by crawler"),
    }  # fmt: skip
    by_name = {each.what.partition(":")[0]: each for each in claims}
    exhibits = [
        Exhibit(1, "table 2", "seven crawlers: pages/s and volume", verdict(claims)),
        Exhibit(
            1, "figure 6", "volume over time with and without cache and events",
            verdict([by_name["no DNS cache"], by_name["blocking, no cache"]]),
        ),
    ]  # fmt: skip
    pictures = {VOLUME_PLOT: _volume_plot(runs), HOLD_PLOT: _hold_plot(locked)}
    figures = {"designs": list(runs), "locked": list(locked), "calls": calls}
    return PaperPart(blocks, claims, exhibits, pictures, figures)


def table_claims(runs: Sequence[Run]) -> list[Claim]:
    """Each row has fewer pages than the full design, and sharing costs the blocking crawler, too."""

    def less(one: str, other: str) -> Claim:
        # Less by more than a tenth: what is within that is noise.
        return claim(f"{one}: slower than {other}", (run[one].pages < 0.9 * run[other].pages for run in runs))

    last = ROWS[-1].name
    return [*(less(row.name, FULL) for row in ROWS[1:-1]), less(last, ROWS[-2].name)]


def _key(seconds: float) -> str:
    return (
        f"pages/s as they were, ÷ {FACTOR}; mean of {RUNS} runs of {seconds:g} s, lowest to highest; of full: beside "
        f"the first row; all times ÷ {FACTOR}: a page of {PAGE_BYTES // 1000} KB takes {PAGE_S:g} s, a look-up 327 ms "
        f"on average, the time-out {TIMEOUT_S:g} s; a page has {LINKS} links"
    )


def _table(runs: Sequence[Run]) -> list[list[str]]:
    rows = [["crawler", "pages/s", "runs", "MB in 30 min", "of full", "paper: pages/s", "GB", "of full"]]
    full = fmean(run[FULL].pages for run in runs)
    for row in ROWS:
        found = [run[row.name] for run in runs]
        speeds = [one.pages / one.seconds / FACTOR for one in found]
        pages = fmean(one.pages for one in found)
        volume_mb = fmean(one.received_bytes / one.seconds for one in found) / FACTOR * 1800 / 1e6
        rows.append([
            row.name, f"{fmean(speeds):.1f}", f"{min(speeds):.1f}–{max(speeds):.1f}", f"{volume_mb:,.0f}",
            f"{pages / full:.0%}", str(row.paper_pages_per_s), f"{row.paper_gb:.2f}",
            f"{row.paper_pages_per_s / ROWS[0].paper_pages_per_s:.0%}",
        ])  # fmt: skip
    return rows


LOCKED_KEY = (
    f"the shared queue (30 threads, events, cache), when putting one URL takes longer; {LINKS} URLs a page; one run; "
    "waiting: of all the threads' time; the most: 1 ÷ (links · time of a put), what one lock lets through"
)


def _locked(locked: Sequence[tuple[float, Crawled]]) -> list[list[str]]:
    rows = [["a put takes, ms (÷ 10)", "pages/s", "the most", "waiting for the lock"]]
    for hold_s, one in locked:
        put_s = FACTOR * one.put_s / one.puts if one.puts else 0.0
        rows.append([
            f"{1000 * put_s:.2f}", f"{one.pages / one.seconds / FACTOR:.1f}",
            f"{1 / (LINKS * put_s):.0f}" if hold_s else "–",
            f"{one.lock_wait_s / (one.seconds * ROWS[1].design.threads):.1%}",
        ])  # fmt: skip
    return rows


def _calls(calls: dict[int, dict[str, float]]) -> list[list[str]]:
    return [
        ["sockets", "select", "epoll"],
        *([str(number), f"{cost['select']:.1f}", f"{cost['epoll']:.1f}"] for number, cost in calls.items()),
    ]


def _volume_plot(runs: Sequence[Run]) -> str:
    lines = {
        row.name: [(at, size / 1e6) for at, size in runs[0][row.name].volume] for row in ROWS
    }  # fmt: skip
    return draw([Lines("Paper 1, figure 6: volume over time (first run)", "seconds of the run", "MB fetched", lines)])


def _hold_plot(locked: Sequence[tuple[float, Crawled]]) -> str:
    measured = [(1000 * hold_s, one.pages / one.seconds / FACTOR) for hold_s, one in locked]
    paper = [(1000 * hold_s, 5.0) for hold_s, _ in locked]
    lines = {"measured": measured, "paper's shared queue": paper}
    title = "What the shared queue costs, by the time of one put"
    return draw([Lines(title, "a put takes longer by, ms (paper's time)", "pages/s (paper's time)", lines)])
