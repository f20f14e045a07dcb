"""The figures as a person reads them."""

from __future__ import annotations

from statistics import median

import msgspec

MB = 1_000_000
NONE = "–"
TITLES = [
    "tool", "runs", "pages", "pages/s", "CPU ms", "peak MB", "missed", "twice", "open", "busy", "× speed",
    "× CPU", "wget2's CPU ×",
]  # fmt: skip
KEY = (
    "medians of the runs, the largest peak; CPU: all processes, a page; open, busy: the most connections at once, and "
    "the most requests; × speed, × CPU: how many times better weft is; wget2's CPU: by the cheaper of its rows"
)


class Round(msgspec.Struct, frozen=True):
    """One crawl by one tool, as measured."""

    tool: str
    pages: int  # of the truth, by the server's log
    seconds: float  # of the whole command, start-up and index files included
    cpu_s: float  # of all processes of the tool
    peak_memory_bytes: int
    server_cpu_s: float  # of nginx meanwhile
    missed: int | None  # None: it was stopped before it could find all
    twice: int
    forbidden: int = 0
    asked_for_robots: bool = True
    connections: int = 0  # that nginx accepted meanwhile
    most_open: int = 0  # connections at once, looked at four times a second
    most_busy: int = 0  # requests at once, by the server's log …
    average_busy: float = 0.0  # … and on average, from the first to the last
    engine_cpu_s: float | None = None
    workers_cpu_s: float | None = None
    failed: dict[str, int] = {}  # weft's own account of what failed
    failure: str = ""  # why the run counts for nothing


class Cost(msgspec.Struct, frozen=True):
    """What a page cost a tool: medians of its runs, and the largest memory."""

    tool: str
    pages: int = 0
    pages_per_s: float = 0.0
    cpu_ms: float = 0.0
    peak_memory_mb: float = 0.0
    missed: int | None = None
    connections: int = 0
    notes: list[str] = []


class Row(Cost, frozen=True):
    """All rounds of one tool."""

    rounds: int = 0
    twice: int = 0
    most_open: int = 0
    most_busy: int = 0
    average_busy: float = 0.0
    server_ms: float = 0.0
    engine_ms: float | None = None
    workers_ms: float | None = None
    is_there: bool = True


def summed_up(tool: str, rounds: list[Round], note: str = "") -> Row:
    """One tool's row; failed runs are told in its notes only."""
    good = [r for r in rounds if not r.failure]
    notes = [note] if note else []
    notes += sorted({r.failure for r in rounds if r.failure})
    if not good:
        return Row(tool, notes=notes or ["it was not run"], is_there=False)
    missed = [r.missed for r in good if r.missed is not None]
    if not missed:
        notes.append(f"stopped after {median(r.seconds for r in good):.0f} s: the figures are of the pages until then")
    if not all(r.asked_for_robots for r in good):
        notes.append("it asked for no robots.txt")
    if forbidden := max(r.forbidden for r in good):
        notes.append(f"it fetched {forbidden:,} pages that robots.txt forbids")
    return Row(
        tool=tool,
        rounds=len(good),
        pages=int(median(r.pages for r in good)),
        pages_per_s=median(r.pages / r.seconds for r in good),
        cpu_ms=median(1000 * r.cpu_s / r.pages for r in good),
        peak_memory_mb=max(r.peak_memory_bytes for r in good) / MB,
        missed=max(missed) if missed else None,
        twice=max(r.twice for r in good),
        most_open=int(median(r.most_open for r in good)),
        most_busy=int(median(r.most_busy for r in good)),
        average_busy=median(r.average_busy for r in good),
        server_ms=median(1000 * r.server_cpu_s / r.pages for r in good),
        connections=int(median(r.connections for r in good)),
        engine_ms=_median_ms([(r.engine_cpu_s, r.pages) for r in good]),
        workers_ms=_median_ms([(r.workers_cpu_s, r.pages) for r in good]),
        notes=notes,
    )


def table(rows: list[Row]) -> str:
    """A line for each tool; its speed and CPU beside weft's, and its CPU beside wget2's."""
    by_name = {row.tool: row for row in rows if row.is_there}
    weft, wget2 = by_name.get("weft"), cheapest_wget2(rows)
    shown = aligned([TITLES, *(_line(row, weft, wget2) for row in rows)])
    notes = [f"  {row.tool}: {'; '.join(row.notes)}" for row in rows if row.notes]
    return "\n".join([*shown, f"  {KEY}", *notes, *_halves(rows), _server_line(rows)])


def cheapest_wget2(rows: list[Row]) -> Row | None:
    """Of its rows the one that takes least CPU a page: what others are compared with."""
    there = [row for row in rows if row.is_there and row.tool.partition(",")[0] == "wget2"]
    return min(there, key=lambda row: row.cpu_ms, default=None)


def aligned(lines: list[list[str]]) -> list[str]:
    """Cells one below the other: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip() for line in lines]


def cost_cells(cost: Cost, runs: int) -> list[str]:
    """The first columns of a tool: from its name to the pages that it missed."""
    return [
        cost.tool,
        str(runs),
        f"{cost.pages:,}",
        f"{cost.pages_per_s:,.0f}",
        f"{cost.cpu_ms:.2f}",
        f"{cost.peak_memory_mb:,.0f}",
        counted(cost.missed),
    ]


def beside_weft(cost: Cost, weft: Cost | None) -> list[str]:
    """How many times better weft is: speed, CPU."""
    if weft is None:
        return [NONE, NONE]
    return [f"{weft.pages_per_s / cost.pages_per_s:.2f}", f"{cost.cpu_ms / weft.cpu_ms:.2f}"]


def counted(number: int | None) -> str:
    """A number that may not be known."""
    return NONE if number is None else f"{number:,}"


def _line(row: Row, weft: Row | None, wget2: Row | None) -> list[str]:
    if not row.is_there:
        return [row.tool, *[NONE] * (len(TITLES) - 1)]
    return [
        *cost_cells(row, row.rounds),
        f"{row.twice:,}",
        f"{row.most_open:,}",
        f"{row.most_busy:,}",
        *beside_weft(row, weft),
        f"{row.cpu_ms / wget2.cpu_ms:.2f}" if wget2 else NONE,
    ]


def _halves(rows: list[Row]) -> list[str]:
    return [
        f"  {row.tool}: engine {row.engine_ms:.2f}, workers {row.workers_ms:.2f} CPU ms a page"
        for row in rows
        if row.engine_ms is not None and row.workers_ms is not None
    ]


def _server_line(rows: list[Row]) -> str:
    told = (f"{row.tool} {row.server_ms:.2f} ms, {row.connections:,}" for row in rows if row.is_there)
    return f"  nginx beside them, CPU a page and connections accepted: {'; '.join(told)}"


def _median_ms(cpu_s_and_pages: list[tuple[float | None, int]]) -> float | None:
    known = [1000 * cpu_s / pages for cpu_s, pages in cpu_s_and_pages if cpu_s is not None]
    return median(known) if known else None
