"""Paper 1's table 1: three home pages, loaded fifty times by each way of reading, kept alive or not."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import fmean

import msgspec

from bench.papers.charts import Bars, draw
from bench.papers.claims import Claim, Exhibit, claim, claims_table, verdict
from bench.papers.page import markdown, picture
from bench.papers.paper1.readers import Manners, Reader, load, read_blocking, read_event, read_polling, request
from bench.papers.paper1.server import served
from bench.papers.part import RUNS, PaperPart
from bench.record import say

FACTOR = 20  # all times are so many times shorter than the paper's; tables show them as they were
LINE_BYTES_PER_S = 300_000  # of their campus network, for one connection: our guess, the same for all pages
TIMEOUT_S = 2.0  # without a byte; the paper does not tell its own
POLL_S = 0.2
PLOT = "1-table-1.svg"


class Portal(msgspec.Struct, frozen=True):
    """A home page of the table, with what the paper measured: ordinary, polling, combined; seconds."""

    name: str
    kilobytes: float
    keep: bool
    paper_s: tuple[float, float, float]


PORTALS = (
    Portal("Sina", 308.5, True, (3.20, 2.85, 2.25)),
    Portal("NetEase", 267.5, True, (2.97, 2.90, 1.07)),
    Portal("Sohu", 234.6, False, (3.02, 2.62, 0.93)),
)

# The first three are the paper's; the last two tell events and the look for the end apart.
READERS: dict[str, tuple[Reader, bool]] = {
    "ordinary": (read_blocking, False),
    "polling": (read_polling, False),
    "combined": (read_event, True),
    "blocking + end": (read_blocking, True),
    "events, no end": (read_event, False),
}


class Cell(msgspec.Struct, frozen=True):
    """A page by one reader: means of its loads, in the paper's seconds."""

    page: str
    keep: bool
    reader: str
    seconds: float
    after_s: float
    missed_s: float
    empty_looks: float
    cut: int  # loads that took a part of the page for the whole: a pause was longer than the time-out


def run_portals(loads: int) -> PaperPart:
    """Three runs; the readers of a page run beside each other, which costs them nothing: they sleep."""
    with served() as port:
        runs = [_run(port, loads, number) for number in range(RUNS)]
    return shown(runs, loads)


def _run(port: int, loads: int, run: int) -> list[Cell]:
    say(f"paper 1, table 1: run {run + 1}")
    found: list[Cell] = []
    for portal in PORTALS:
        for keep in (True, False):
            with ThreadPoolExecutor(len(READERS)) as pool:
                found += pool.map(lambda name: _cell(port, portal, keep, name, loads), READERS)  # noqa: B023
    return found


def _cell(port: int, portal: Portal, keep: bool, name: str, loads: int) -> Cell:
    reader, ends = READERS[name]
    manners = Manners(TIMEOUT_S / FACTOR, POLL_S / FACTOR, ends)
    size = round(portal.kilobytes * 1000)
    sending_s = size / LINE_BYTES_PER_S / FACTOR
    pages = []
    for number in range(loads):
        connection, began = request(port, size, sending_s, number, keep=keep)
        pages.append(load(reader, connection, began, manners, sending_s))
    return Cell(
        portal.name, keep, name, FACTOR * fmean(page.seconds for page in pages),
        FACTOR * fmean(page.after_s for page in pages), FACTOR * fmean(page.missed_s for page in pages),
        fmean(page.empty_looks for page in pages), sum(len(page.body) < size for page in pages),
    )  # fmt: skip


def shown(runs: Sequence[Sequence[Cell]], loads: int) -> PaperPart:
    """Table, plot and claims of all runs. Pure."""
    rows = [["page, KB", "connection kept", *READERS, "paper: ordinary", "polling", "combined"]]
    for portal in PORTALS:
        for keep in (True, False):
            paper = [f"{second:.2f}" for second in portal.paper_s] if keep == portal.keep else ["–"] * 3
            ours = [f"{_mean(runs, portal.name, keep, name):.2f}" for name in READERS]
            rows.append([f"{portal.name}, {portal.kilobytes}", "yes" if keep else "no", *ours, *paper])
    key = (
        f"seconds of a load, times {FACTOR}: mean of {RUNS} runs of {loads} loads; a page comes at "
        f"{LINE_BYTES_PER_S / 1000:.0f} KB/s, time-out {TIMEOUT_S:g} s, polls every {POLL_S:g} s (all ÷ {FACTOR})"
    )
    claims = table_claims(runs)
    block = "\n\n".join([
        picture(PLOT, "Seconds of a load, by page and reader"), markdown(rows, key), markdown(_waits(runs), WAITS_KEY),
        markdown(claims_table(claims)),
    ])  # fmt: skip
    exhibit = Exhibit(1, "table 1", "three home pages by three readers", verdict(claims[:4]))
    plot = draw(
        [
            Bars(f"Paper 1, table 1: one load; the server {what}", "seconds (paper's time)", _grouped(runs, keep=keep))
            for keep, what in ((True, "leaves the connection open"), (False, "closes the connection"))
        ]
    )
    return PaperPart({"1-table-1": block}, claims, [exhibit], {PLOT: plot}, {"portals": [list(run) for run in runs]})


def _grouped(runs: Sequence[Sequence[Cell]], *, keep: bool) -> dict[str, dict[str, float]]:
    return {
        f"{portal.name}, {portal.kilobytes} KB": {name: _mean(runs, portal.name, keep, name) for name in READERS}
        for portal in PORTALS
    }


WAITS_KEY = (
    "what a load waits for nothing, in seconds, connections kept: equation (2)'s two sums. After: from the last byte "
    "until the reader ends; late: by which the last byte was read after it had come; cut: loads of all runs that ended "
    "before the page did, because the machine paused for longer than the time-out"
)


def _waits(runs: Sequence[Sequence[Cell]]) -> list[list[str]]:
    rows = [["reader", "after the page", "late", "empty looks a load", "cut"]]
    for name in READERS:
        cells = [cell for run in runs for cell in run if cell.reader == name and cell.keep]
        after, late, looks = (
            fmean(getattr(cell, field) for cell in cells) for field in ("after_s", "missed_s", "empty_looks")
        )
        rows.append([name, f"{after:.2f}", f"{late:.2f}", f"{looks:.1f}", str(sum(cell.cut for cell in cells))])
    return rows


def table_claims(runs: Sequence[Sequence[Cell]]) -> list[Claim]:
    """The paper's orderings first, then what explains them."""

    def of(run: Sequence[Cell], name: str, keep: bool) -> list[float]:
        return [cell.seconds for cell in run if cell.reader == name and cell.keep is keep]

    def all_less(run: Sequence[Cell], one: str, other: str, keep: bool, share: float = 1.0) -> bool:
        return all(a < share * b for a, b in zip(of(run, one, keep), of(run, other, keep), strict=True))

    return [
        claim("kept: combined < ordinary, each page", (all_less(run, "combined", "ordinary", True) for run in runs)),
        claim("kept: combined < polling, each page", (all_less(run, "combined", "polling", True) for run in runs)),
        claim("kept: polling < ordinary, each page", (all_less(run, "polling", "ordinary", True) for run in runs)),
        claim(
            "closed: combined takes less than 70 % of ordinary (paper: 31 %)",
            (all_less(run, "combined", "ordinary", False, 0.7) for run in runs),
        ),
        claim(
            "kept: a blocking reader that looks for the end < events without it",
            (all_less(run, "blocking + end", "events, no end", True) for run in runs),
        ),
    ]  # fmt: skip


def _mean(runs: Sequence[Sequence[Cell]], page: str, keep: bool, reader: str) -> float:
    return fmean(
        cell.seconds for run in runs for cell in run if (cell.page, cell.keep, cell.reader) == (page, keep, reader)
    )
