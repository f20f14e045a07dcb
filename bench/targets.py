"""What must hold, with what was measured in this run."""

from __future__ import annotations

import operator
from collections.abc import Callable

import msgspec

from bench.corpus import CORPORA
from bench.table import Row, aligned

SCRAPY_ROWS = ("scrapy, tuned", "scrapy")
SPIDER_ROWS = ("spider", "spider, one website")  # the better one counts
AUTOMATIC = "weft, automatic"
OF_THE_BOUND = 0.9
OF_THE_BEST_FIXED = 0.95


class Target(msgspec.Struct, frozen=True):
    """One line of the block; `measured` is None where the run does not tell."""

    what: str
    measured: float | None
    wanted: float
    is_upper_bound: bool = False
    is_aim: bool = False  # shown, but nothing that must hold

    @property
    def holds(self) -> bool | None:
        """Whether it holds; None: not told."""
        if self.measured is None:
            return None
        compare = operator.le if self.is_upper_bound else operator.ge
        return bool(compare(self.measured, self.wanted))


class Found(msgspec.Struct, frozen=True):
    """The rows of a run, by corpus and tool."""

    rows: dict[str, list[Row]]

    def row(self, corpus: str, tool: str) -> Row | None:
        """The row, if the tool was measured there."""
        return next((row for row in self.rows.get(corpus, []) if row.tool == tool and row.is_there), None)

    def ratio(
        self, corpus: str, one: str, other: str, figure: Callable[[Row], float] = lambda row: row.pages_per_s
    ) -> float | None:
        """One tool's figure divided by another's."""
        above, below = self.row(corpus, one), self.row(corpus, other)
        return figure(above) / figure(below) if above and below else None


def targets(found: Found) -> list[Target]:
    """All of them, in the order of the issue's lines 1 to 4."""
    return [*_documentation(found), *_hosts(found), *_late(found), *_wget2(found), *_mixed(found)]


def must_hold(lines: list[Target]) -> str:
    """The block at the end of a run."""
    shown = [["must hold", "measured", "wanted", ""]]
    for line in lines:
        sign = "≤" if line.is_upper_bound else "≥"
        measured = "–" if line.measured is None else f"{line.measured:.2f}"
        word = {True: "holds", False: "does not hold", None: "not measured"}[line.holds]
        if line.is_aim and line.holds is False:
            word = "not yet (an aim)"
        shown.append([line.what, measured, f"{sign} {line.wanted:g}", word])
    return "\n".join(aligned(shown))


def bound_on_late(found: Found) -> tuple[float, float] | None:
    """On c: weft's CPU-bound rate (that on b), and what its connections can carry; pages/s."""
    weft_on_b, late = found.row("b", "weft"), CORPORA["c"]
    if weft_on_b is None or late.weather is None:
        return None
    return weft_on_b.pages_per_s, 1000 * late.connections / late.weather.latency_ms


def late_line(found: Found) -> str:
    """weft on c, beside what bounds it."""
    row, bound = found.row("c", "weft"), bound_on_late(found)
    if row is None or bound is None:
        return "c: weft beside its bounds: corpora b and c are needed in one run"
    return (
        f"c: weft {row.pages_per_s:,.0f} pages/s; its CPU-bound rate on b {bound[0]:,.0f}, "
        f"connections ÷ latency {bound[1]:,.0f}: {100 * row.pages_per_s / min(bound):.0f} % of the lower one"
    )


def _cpu(row: Row) -> float:
    return row.cpu_ms


def _documentation(found: Found) -> list[Target]:
    weft, plain = found.row("a", "weft"), found.row("a", "weft, no scanner")
    return [
        *(Target(f"1. a: weft ÷ {tool}, pages/s", found.ratio("a", "weft", tool), 35) for tool in SCRAPY_ROWS),
        Target("1. a: weft ÷ spider, pages/s", _beside_spider(found, "a"), 2.5),
        Target("1. a: weft ÷ aiohttp, pages/s", found.ratio("a", "weft", "aiohttp"), 6),
        *(
            Target(f"1. a: weft, no scanner ÷ {tool}, pages/s", found.ratio("a", "weft, no scanner", tool), 25)
            for tool in SCRAPY_ROWS
        ),
        Target("1. a: weft, CPU ms a page", weft.cpu_ms if weft else None, 0.5, is_upper_bound=True),
        Target("1. a: weft, no scanner, CPU ms a page", plain.cpu_ms if plain else None, 0.9, is_upper_bound=True),
    ]


def _hosts(found: Found) -> list[Target]:
    of_cpu = [r for r in (found.ratio("b", "weft", row, _cpu) for row in SPIDER_ROWS) if r is not None]
    return [
        *(Target(f"2. b: weft ÷ {tool}, pages/s", found.ratio("b", "weft", tool), 35) for tool in SCRAPY_ROWS),
        Target("2. b: weft ÷ spider, pages/s", _beside_spider(found, "b"), 1.3),
        Target("2. b: weft ÷ spider, CPU a page", max(of_cpu, default=None), 0.5, is_upper_bound=True),
    ]


def _beside_spider(found: Found, corpus: str) -> float | None:
    return min((r for r in (found.ratio(corpus, "weft", row) for row in SPIDER_ROWS) if r is not None), default=None)


def _late(found: Found) -> list[Target]:
    row, bound = found.row("c", "weft"), bound_on_late(found)
    peers = [r for r in found.rows.get("c", []) if r.is_there and not r.tool.startswith("weft")]
    fastest = max(peers, key=lambda r: r.pages_per_s, default=None)
    ahead = row.pages_per_s / fastest.pages_per_s if row and fastest else None
    share = row.pages_per_s / min(bound) if row and bound else None
    name = f" ({fastest.tool})" if fastest else ""
    return [
        Target(f"3. c: weft ÷ the fastest peer{name}, pages/s", ahead, 1),
        Target("3. c: weft ÷ the lower of b's rate and connections ÷ latency", share, OF_THE_BOUND),
    ]


def _wget2(found: Found) -> list[Target]:
    return [
        Target(
            f"3. {corpus}: weft ÷ wget2, CPU a page",
            found.ratio(corpus, "weft", "wget2", _cpu),
            1.0,
            is_upper_bound=True,
            is_aim=True,
        )
        for corpus in ("a", "b")
    ]


def _mixed(found: Found) -> list[Target]:
    automatic = found.row("d", AUTOMATIC)
    fixed = [row for row in found.rows.get("d fixed", []) if row.is_there and row.tool != AUTOMATIC]
    automatic = next((row for row in found.rows.get("d fixed", []) if row.tool == AUTOMATIC), automatic)
    best = max(fixed, key=lambda row: row.pages_per_s, default=None)
    share = automatic.pages_per_s / best.pages_per_s if automatic and best else None
    name = f" ({best.tool.removeprefix('weft, ')})" if best else ""
    return [Target(f"4. d: automatic ÷ best fixed setting{name}, pages/s", share, OF_THE_BEST_FIXED)]
