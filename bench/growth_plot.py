"""The samples of a growing crawl as a picture: three panels over the number of pages. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.growth_samples import Sample
from bench.growth_table import MB, stretch, while_crawling

WIDTH, PANEL_HEIGHT, GAP = 720, 170, 46
LEFT, RIGHT, TOP = 64, 120, 40
STRETCHES_PER_DECADE = 12
TEXT_HEIGHT = 14
COLOURS = ("#1f77b4", "#d95f02", "#444444", "#2a9d4b", "#9467bd", "#c23b7f", "#8c6d31", "#17a2b8")
FIRST_PAGES = 1_000

Point = tuple[float, float]


@dataclass(slots=True, frozen=True)
class Panel:
    """One diagram: its title, and its lines by their names."""

    title: str
    lines: dict[str, list[Point]]


@dataclass(slots=True, frozen=True)
class Axis:
    """Pages from left to right, by powers of ten or evenly."""

    first: int
    most: int
    is_even: bool = False

    def x_of(self, pages: float) -> float:
        """Where a number of pages is."""
        part = pages / self.most if self.is_even else math.log10(pages / self.first) / self._decades
        return LEFT + (WIDTH - LEFT - RIGHT) * part

    def ticks(self) -> list[int]:
        """The numbers that are written below it."""
        if self.is_even:
            return [self.most * quarter // 4 for quarter in range(5)]
        return [
            pages for power in range(math.ceil(self._decades) + 1) if (pages := self.first * 10**power) <= self.most
        ]

    @property
    def _decades(self) -> float:
        return math.log10(self.most / self.first)


def crawl_plot(samples: Sequence[Sample]) -> str:
    """An SVG of pages/s, CPU a page and memory."""
    crawling = [sample for sample in while_crawling(samples) if sample.pages]
    edges = _edges(crawling[-1].pages)
    parts = [
        (math.sqrt(low * high), part)
        for low, high in pairwise(edges)
        if (part := stretch("", crawling, low, high)) is not None
    ]
    memory = [sample for sample in crawling if sample.pages >= FIRST_PAGES]
    return draw(
        [
            Panel("pages a second", {"": [(at, part.pages_per_s) for at, part in parts]}),
            Panel(
                "CPU ms a page",
                {
                    "engine": [(at, part.engine_ms) for at, part in parts],
                    "workers": [(at, part.workers_ms) for at, part in parts],
                    "both": [(at, part.engine_ms + part.workers_ms) for at, part in parts],
                },
            ),
            Panel(
                "memory, MB",
                {
                    "engine": [(s.pages, s.engine_bytes / MB) for s in memory],
                    "workers": [(s.pages, s.workers_bytes / MB) for s in memory],
                    "both": [(s.pages, (s.engine_bytes + s.workers_bytes) / MB) for s in memory],
                },
            ),
        ],
        most_pages=crawling[-1].pages,
    )


def draw(
    panels: Sequence[Panel],
    *,
    most_pages: int,
    first_pages: int = FIRST_PAGES,
    is_even: bool = False,
    unit: str = "pages",
) -> str:
    """The panels below each other, over one axis: logarithmic, or even and from 0 on."""
    axis = Axis(first_pages, most_pages, is_even)
    height = TOP + len(panels) * (PANEL_HEIGHT + GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        parts += _draw_panel(panel, TOP + number * (PANEL_HEIGHT + GAP), axis)
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, height - 6, unit, "middle"))
    return "\n".join([*parts, "</svg>", ""])


def round_up(value: float) -> float:
    """The next of 1, 2, 3, 4, 5, 6, 8, 10 times a power of ten, as the end of an axis."""
    power = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return next(step * power for step in (1, 2, 3, 4, 5, 6, 8, 10) if step * power >= value * 0.999_999)


def _draw_panel(panel: Panel, top: float, axis: Axis) -> list[str]:
    most = round_up(max((y for line in panel.lines.values() for _, y in line), default=1.0))

    def y_of(value: float) -> float:
        return top + PANEL_HEIGHT * (1 - value / most)

    parts = [_text(LEFT, top - 8, panel.title, "start", weight="bold")]
    for quarter in range(5):
        value = most * quarter / 4
        parts.append(_rule(LEFT, y_of(value), WIDTH - RIGHT, y_of(value)))
        parts.append(_text(LEFT - 6, y_of(value) + 4, f"{value:,.4g}", "end"))
    for pages in axis.ticks():
        parts.append(_rule(axis.x_of(pages), top, axis.x_of(pages), top + PANEL_HEIGHT))
        parts.append(_text(axis.x_of(pages), top + PANEL_HEIGHT + 15, f"{pages:,}", "middle"))
    for colour, line in zip(COLOURS, panel.lines.values(), strict=False):
        points = " ".join(f"{axis.x_of(x):.1f},{y_of(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
    ends = {name: y_of(line[-1][1]) + 4 for name, line in panel.lines.items() if line}
    for (name, y), colour in zip(spread(ends, top + PANEL_HEIGHT + 4).items(), COLOURS, strict=False):
        parts.append(_text(WIDTH - RIGHT + 8, y, name, "start", colour=colour))
    return parts


def spread(heights: dict[str, float], bottom: float = math.inf) -> dict[str, float]:
    """The heights of words beside each other's lines, moved down where two would overlap, and up from the bottom."""
    moved = dict(heights)
    lowest = -math.inf
    from_above = sorted(heights, key=lambda name: heights[name])
    for name in from_above:
        lowest = moved[name] = max(heights[name], lowest + TEXT_HEIGHT)
    highest = bottom
    for name in reversed(from_above):
        moved[name] = min(moved[name], highest)
        highest = moved[name] - TEXT_HEIGHT
    return moved


def _edges(most_pages: int) -> list[float]:
    count = math.ceil(STRETCHES_PER_DECADE * math.log10(most_pages / FIRST_PAGES)) + 1
    return [FIRST_PAGES * 10 ** (number / STRETCHES_PER_DECADE) for number in range(count + 1)]


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'


def _text(x: float, y: float, words: str, anchor: str, *, colour: str = "#222222", weight: str = "normal") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">{words}</text>'
