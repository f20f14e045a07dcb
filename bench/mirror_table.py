"""The figures of mirrors as a person reads them: tables, what must hold, a picture. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

import msgspec

from bench.growth_plot import Panel, draw
from bench.mirror_runs import Run
from bench.table import MB, NONE, Cost, aligned, beside_weft, cost_cells, counted
from bench.targets import Target

TITLES = [
    "tool",
    "runs",
    "pages",
    "pages/s",
    "CPU ms",
    "peak MB",
    "missed",
    "broken",
    "connections",
    "× speed",
    "× CPU",
]
KEY = (
    "medians of the runs, the largest peak; CPU: all processes, a page; missed: files that are not there; broken: "
    "files with a link that does not work; × speed, × CPU: weft is so many times better"
)
FIVE_TIMES = 5.0
OF_HTTRACKS_GROWTH = 0.1
FLAT = 1.1
BEGIN, END = "<!-- figures: written by make bench-mirror -->", "<!-- end of the figures -->"


class Row(Cost, frozen=True):
    """All runs of one tool on one site."""

    runs: int = 0
    broken: int | None = None
    after_crawl_s: float | None = None


def row_of(tool: str, runs: Sequence[Run], note: str = "") -> Row:
    """One tool's row; runs that failed are told in its notes only."""
    good = [run for run in runs if not run.failure]
    notes = [note] if note else []
    notes += sorted({run.failure for run in runs if run.failure})
    if not good:
        return Row(tool, notes=notes or ["it was not run"])
    if any(run.missed is None for run in good):
        notes.append(
            f"stopped after {median(run.seconds for run in good):.0f} s: the figures are of the pages until then"
        )
    if forbidden := max(run.forbidden for run in good):
        notes.append(f"it asked for {forbidden:,} pages that robots.txt forbids")
    if twice := max(run.twice for run in good):
        notes.append(f"it fetched {twice:,} files more than once")
    notes += [f"e.g. {example}" for run in good[:1] for example in run.examples[:2]]
    after_crawl = [run.seconds - run.crawl_s for run in good if run.crawl_s is not None]
    return Row(
        tool=tool,
        runs=len(good),
        pages=int(median(run.pages for run in good)),
        pages_per_s=median(run.pages_per_s for run in good),
        cpu_ms=median(run.cpu_ms for run in good),
        peak_memory_mb=max(run.peak_memory_bytes for run in good) / MB,
        missed=max((run.missed for run in good if run.missed is not None), default=None),
        broken=max((run.broken for run in good if run.broken is not None), default=None),
        connections=int(median(run.connections for run in good)),
        after_crawl_s=median(after_crawl) if after_crawl else None,
        notes=notes,
    )


def table(rows: Sequence[Row]) -> str:
    """A line for each tool, its speed and CPU beside weft's."""
    weft = _named(rows, "weft")
    lines = [TITLES, *(_line(row, weft) for row in rows)]
    notes = [f"  {row.tool}: {'; '.join(row.notes)}" for row in rows if row.notes]
    if weft is not None and weft.after_crawl_s is not None:
        notes.append(f"  weft: {weft.after_crawl_s:.1f} s of its time are its start, and making files after the crawl")
    return "\n".join([*aligned(lines), f"  {KEY}", *notes])


def _line(row: Row, weft: Row | None) -> list[str]:
    if not row.runs:
        return [row.tool, *[NONE] * (len(TITLES) - 1)]
    return [
        *cost_cells(row, row.runs),
        counted(row.broken),
        str(row.connections),
        *beside_weft(row, weft),
    ]


# ── memory ─────────────────────────────────────────────────────────────────────────────────────────────


class Growth(msgspec.Struct, frozen=True):
    """A tool's peak memory by the size of the site."""

    tool: str
    peak_mb: dict[int, float]
    pages_per_s: dict[int, float]
    missed: int

    @property
    def more_mb(self) -> float | None:
        """From the smallest site to the largest; None where a run is not whole."""
        sizes = sorted(self.peak_mb)
        return self.peak_mb[sizes[-1]] - self.peak_mb[sizes[0]] if len(sizes) > 1 else None


def growths(runs: Sequence[Run], sizes: Sequence[int]) -> list[Growth]:
    """Of each tool; only runs that came to their end count."""
    found = []
    for tool in dict.fromkeys(run.tool for run in runs):
        by_site = {run.site: run for run in runs if run.tool == tool and not run.failure and run.missed is not None}
        there = {size: by_site[f"grown {size}"] for size in sizes if f"grown {size}" in by_site}
        found.append(
            Growth(
                tool,
                {size: run.peak_memory_bytes / MB for size, run in there.items()},
                {size: run.pages_per_s for size, run in there.items()},
                max((run.missed or 0 for run in there.values()), default=0),
            )
        )
    return found


def growth_table(found: Sequence[Growth], sizes: Sequence[int]) -> str:
    """Peak memory and speed by size."""
    names = [f"{size:,}" for size in sizes]
    lines = [["peak MB, pages:", *names, "growth MB", "×", "missed", *(f"{name}: pages/s" for name in names)]]
    for growth in found:
        peaks = [_decimal(growth.peak_mb.get(size)) for size in sizes]
        rates = [f"{growth.pages_per_s[size]:,.0f}" if size in growth.pages_per_s else NONE for size in sizes]
        lines.append([growth.tool, *peaks, _decimal(growth.more_mb), _times(growth), f"{growth.missed:,}", *rates])
    return "\n".join(aligned(lines))


def growth_plot(found: Sequence[Growth], sizes: Sequence[int]) -> str:
    """An SVG with a line for each tool."""
    lines = {growth.tool: [(float(size), peak) for size, peak in growth.peak_mb.items()] for growth in found}
    panel = Panel("peak memory, MB, by pages of the site", {tool: line for tool, line in lines.items() if line})
    return draw([panel], most_pages=max(sizes), first_pages=min(sizes))


def _times(growth: Growth) -> str:
    sizes = sorted(growth.peak_mb)
    return f"{growth.peak_mb[sizes[-1]] / growth.peak_mb[sizes[0]]:.2f}" if len(sizes) > 1 else NONE


# ── what must hold ─────────────────────────────────────────────────────────────────────────────────────


def targets(rows: dict[str, list[Row]], found: Sequence[Growth]) -> list[Target]:
    """The lines of the issue; what was not measured in this run says so."""
    return [
        *(
            Target(f"{site}: weft ÷ {tool}, pages/s", _ratio(rows, site, tool), wanted)
            for site, tool, wanted in (
                ("docs", "wget", FIVE_TIMES),
                ("docs", "httrack", FIVE_TIMES),
                ("late", "wget", FIVE_TIMES),
                ("late", "httrack", FIVE_TIMES),
                ("late", "wget2", 1.0),
            )
        ),
        *(
            Target(f"{site}: weft, files {name}", _figure(rows, site, figure), 0.0, is_upper_bound=True)
            for site in ("docs", "late")
            for name, figure in _FAULTS.items()
        ),
        *_memory_targets({growth.tool: growth for growth in found}),
    ]


_FAULTS: dict[str, Callable[[Row], int | None]] = {
    "missed": lambda row: row.missed,
    "with broken links": lambda row: row.broken,
}


def _memory_targets(found: dict[str, Growth]) -> list[Target]:
    weft, httrack = found.get("weft"), found.get("httrack")
    grown, other = (weft.more_mb if weft else None), (httrack.more_mb if httrack else None)
    beside = grown / other if grown is not None and other else None
    peaks = [peak for _, peak in sorted(weft.peak_mb.items())] if weft else []
    flat = peaks[-1] / peaks[0] if len(peaks) > 1 else None
    return [
        Target("memory: weft's growth ÷ httrack's", beside, OF_HTTRACKS_GROWTH, is_upper_bound=True),
        Target("memory: weft, largest site ÷ smallest", flat, FLAT, is_upper_bound=True),
    ]


def _ratio(rows: dict[str, list[Row]], site: str, tool: str) -> float | None:
    weft, other = (_named(rows.get(site, []), name) for name in ("weft", tool))
    return weft.pages_per_s / other.pages_per_s if weft and other else None


def _figure(rows: dict[str, list[Row]], site: str, figure: Callable[[Row], int | None]) -> float | None:
    weft = _named(rows.get(site, []), "weft")
    return figure(weft) if weft else None


def _named(rows: Sequence[Row], tool: str) -> Row | None:
    return next((row for row in rows if row.tool == tool and row.runs), None)


def _decimal(number: float | None) -> str:
    return NONE if number is None else f"{number:,.1f}"


# ── the page ───────────────────────────────────────────────────────────────────────────────────────────


def with_figures(page: str, figures: str) -> str:
    """The page with these figures in place of those of the run before."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the page has no place for figures: {BEGIN} … {END}")
    indented = "\n".join(f"    {line}".rstrip() for line in figures.splitlines())
    return f"{before}{BEGIN}\n\n{indented}\n\n{END}{after}"
