"""The figures as a person reads them."""

from __future__ import annotations

from statistics import median

import msgspec

MB = 1_000_000
ENGINE_LIMIT_MS = 0.35
ALL_LIMIT_MS = 1.2


class Round(msgspec.Struct, frozen=True):
    """One crawl by one tool, as measured."""

    tool: str
    pages: int  # responses with a 2xx status
    seconds: float  # of the whole command, start-up and index files included
    cpu_s: float  # of all processes of the tool
    peak_memory_bytes: int
    server_cpu_s: float  # of nginx meanwhile
    engine_cpu_s: float | None = None
    workers_cpu_s: float | None = None
    connections: int | None = None  # that nginx accepted meanwhile
    note: str = ""


class Row(msgspec.Struct, frozen=True):
    """All rounds of one tool: medians, and the largest memory."""

    tool: str
    rounds: int
    pages: int
    pages_per_s: float
    engine_ms: float | None
    workers_ms: float | None
    all_ms: float
    peak_memory_mb: float
    server_ms: float
    connections: int | None
    note: str


def summed_up(rounds: list[Round]) -> Row:
    """One tool's row."""
    first = rounds[0]
    return Row(
        tool=first.tool,
        rounds=len(rounds),
        pages=int(median(r.pages for r in rounds)),
        pages_per_s=median(r.pages / r.seconds for r in rounds),
        engine_ms=_median_ms([(r.engine_cpu_s, r.pages) for r in rounds]),
        workers_ms=_median_ms([(r.workers_cpu_s, r.pages) for r in rounds]),
        all_ms=median(1000 * r.cpu_s / r.pages for r in rounds),
        peak_memory_mb=max(r.peak_memory_bytes for r in rounds) / MB,
        server_ms=median(1000 * r.server_cpu_s / r.pages for r in rounds),
        connections=_median_count([r.connections for r in rounds]),
        note=first.note,
    )


def table(rows: list[Row]) -> str:
    """A line for each tool; the last columns compare it with Scrapy: pages/s, and all CPU ms a page."""
    scrapy = next((row for row in rows if row.tool == "scrapy"), None)
    titles = [
        "tool",
        "rounds",
        "pages",
        "pages/s",
        "engine ms",
        "workers ms",
        "all CPU ms",
        "peak MB",
        "× speed",
        "× CPU",
    ]
    lines = [
        [
            row.tool,
            str(row.rounds),
            f"{row.pages:,}",
            f"{row.pages_per_s:,.0f}",
            _ms(row.engine_ms),
            _ms(row.workers_ms),
            _ms(row.all_ms),
            f"{row.peak_memory_mb:,.0f}",
            f"{row.pages_per_s / scrapy.pages_per_s:.1f}" if scrapy else "–",
            f"{row.all_ms / scrapy.all_ms:.2f}" if scrapy else "–",
        ]
        for row in rows
    ]
    shown = aligned([titles, *lines])
    notes = [f"{row.tool}: {row.note}" for row in rows if row.note]
    return "\n".join([*shown, *notes, "× speed, × CPU: Scrapy is 1"] if scrapy else [*shown, *notes])


def table_beside_http(rows: list[Row]) -> str:
    """A line for each way of serving; the last columns compare it with the first: pages/s, and CPU ms a page."""
    titles = [
        "served over", "rounds", "pages", "connections", "pages/s", "engine ms", "workers ms", "all CPU ms",
        "peak MB", "× speed", "× engine", "× CPU",
    ]  # fmt: skip
    http = rows[0]
    lines = [
        [
            row.tool,
            str(row.rounds),
            f"{row.pages:,}",
            f"{row.connections:,}",
            f"{row.pages_per_s:,.0f}",
            _ms(row.engine_ms),
            _ms(row.workers_ms),
            _ms(row.all_ms),
            f"{row.peak_memory_mb:,.0f}",
            f"{row.pages_per_s / http.pages_per_s:.2f}",
            f"{row.engine_ms / http.engine_ms:.2f}" if row.engine_ms and http.engine_ms else "–",
            f"{row.all_ms / http.all_ms:.2f}",
        ]
        for row in rows
    ]
    note = [f"each {http.note}"] if http.note else []
    return "\n".join([*aligned([titles, *lines]), *note, f"× speed, × engine, × CPU: {http.tool} is 1"])


def aligned(lines: list[list[str]]) -> list[str]:
    """Cells one below the other, to the right."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]


def must_hold(weft: Row) -> str:
    """The two bounds on a page's cost, with what was measured."""
    return (
        f"engine ≤ {ENGINE_LIMIT_MS} ms/page: {_ms(weft.engine_ms)}\nall ≤ {ALL_LIMIT_MS} ms/page: {_ms(weft.all_ms)}"
    )


def _median_ms(cpu_s_and_pages: list[tuple[float | None, int]]) -> float | None:
    known = [1000 * cpu_s / pages for cpu_s, pages in cpu_s_and_pages if cpu_s is not None]
    return median(known) if known else None


def _median_count(counts: list[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return int(median(known)) if known else None


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
