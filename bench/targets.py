"""What must hold, with what was measured in this run."""

from __future__ import annotations

import operator

import msgspec

from bench.corpus import CORPORA, LATE
from bench.table import Row, aligned, cheapest_wget2
from bench.tools import AS_MANY_AS_SPIDER, NO_ARCHIVE, ONE_WEBSITE, SPIDER

AUTOMATIC = "weft, automatic"
OF_THE_BOUND = 0.92
LATE_BOUND = 1000 * CORPORA["c"].connections / LATE.latency_ms  # pages/s on c: what its connections can carry
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

    def ratio(self, corpus: str, one: str, other: str) -> float | None:
        """One tool's pages/s divided by another's."""
        above, below = self.row(corpus, one), self.row(corpus, other)
        return above.pages_per_s / below.pages_per_s if above and below else None


def targets(found: Found) -> list[Target]:
    """All of them. What a change costs is told by `bench.versions`."""
    return [*_beside_wget2(found), *_beside_spider(found), *_late(found), *_mixed(found)]


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


def late_line(found: Found) -> str:
    """weft on c, beside what bounds it."""
    row, on_b = found.row("c", "weft"), found.row("b", "weft")
    if row is None:
        return "c: weft was not measured"
    bound_by_cpu = f"its CPU-bound rate on b {on_b.pages_per_s:,.0f}, " if on_b else ""
    return (
        f"c: weft {row.pages_per_s:,.0f} pages/s; {bound_by_cpu}connections ÷ latency {LATE_BOUND:,.0f}: "
        f"{100 * row.pages_per_s / LATE_BOUND:.0f} % of that"
    )


def alike_line(found: Found) -> str:
    """Whether the two that are compared on c had as many requests under way as each other."""
    rows = [found.row("c", name) for name in (SPIDER, AS_MANY_AS_SPIDER)]
    told = (f"{row.tool} {row.most_busy:,} and {row.average_busy:,.0f}" for row in rows if row is not None)
    return f"c: requests at once, at most and on average: {'; '.join(told)}"


def _beside_wget2(found: Found) -> list[Target]:
    """The floor is about twice its CPU, since it writes no archive: an aim."""
    lines = []
    for corpus in ("a", "b"):
        weft, wget2 = found.row(corpus, "weft"), cheapest_wget2(found.rows.get(corpus, []))
        ratio = weft.cpu_ms / wget2.cpu_ms if weft and wget2 else None
        lines.append(Target(f"1. {corpus}: weft ÷ wget2, CPU a page", ratio, 2.0, is_upper_bound=True, is_aim=True))
    return lines


def _beside_spider(found: Found) -> list[Target]:
    """An object a host; on c with as many connections as spider was seen to have."""
    return [
        *(Target(f"2. {corpus}: weft ÷ spider, pages/s", found.ratio(corpus, "weft", SPIDER), 1) for corpus in "ab"),
        Target("2. c: weft ÷ spider, pages/s, connections alike", found.ratio("c", AS_MANY_AS_SPIDER, SPIDER), 1),
        Target(f"2. b: {NO_ARCHIVE} ÷ {ONE_WEBSITE}, pages/s", found.ratio("b", NO_ARCHIVE, ONE_WEBSITE), 1),
        Target("2. c: weft ÷ wget2, pages/s", found.ratio("c", "weft", "wget2"), 1),
    ]


def _late(found: Found) -> list[Target]:
    row = found.row("c", "weft")
    share = row.pages_per_s / LATE_BOUND if row else None
    return [Target("3. c: weft ÷ (connections ÷ latency)", share, OF_THE_BOUND)]


def _mixed(found: Found) -> list[Target]:
    automatic = found.row("d", AUTOMATIC)
    fixed = [row for row in found.rows.get("d fixed", []) if row.is_there and row.tool != AUTOMATIC]
    automatic = next((row for row in found.rows.get("d fixed", []) if row.tool == AUTOMATIC), automatic)
    best = max(fixed, key=lambda row: row.pages_per_s, default=None)
    share = automatic.pages_per_s / best.pages_per_s if automatic and best else None
    name = f" ({best.tool.removeprefix('weft, ')})" if best else ""
    return [Target(f"4. d: automatic ÷ best fixed setting{name}, pages/s", share, OF_THE_BEST_FIXED)]
