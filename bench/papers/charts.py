"""Plots as SVG: lines and bars, each panel with axes, units and legend, in colours that the colour-blind tell apart.

Lines also differ by their dashes, bars by the order of the legend. Pure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.growth_plot import round_up

WIDTH, PANEL, LEFT, RIGHT, TOP, BOTTOM = 820, 210, 76, 230, 34, 52
# Okabe and Ito's, without the yellow that nobody sees on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "12 3", "4 4", "1 3", "10 2 2 2")
RIGHT_EDGE = WIDTH - RIGHT
TICKS = 4
GAP_SHARE = 0.25  # of a group of bars

Point = tuple[float, float]


@dataclass(slots=True, frozen=True)
class Lines:
    """Curves over a number."""

    title: str
    across: str  # with its unit
    up: str
    lines: dict[str, list[Point]]
    is_log: bool = False  # across
    most: float | None = None  # of the axis upwards, where panels are to be compared


@dataclass(slots=True, frozen=True)
class Bars:
    """Groups of bars beside each other, or one bar a group in parts."""

    title: str
    up: str
    groups: dict[str, dict[str, float]]  # by group, then by series
    is_stacked: bool = False

    @property
    def series(self) -> list[str]:
        """In the order in which they first come."""
        return list(dict.fromkeys(name for group in self.groups.values() for name in group))

    @property
    def most(self) -> float:
        """The highest bar."""
        heights = [sum(group.values()) if self.is_stacked else max(group.values()) for group in self.groups.values()]
        return max(heights, default=1.0)


def draw(panels: Sequence[Lines | Bars]) -> str:
    """The panels below each other."""
    height = len(panels) * (TOP + PANEL + BOTTOM)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for number, panel in enumerate(panels):
        top = number * (TOP + PANEL + BOTTOM) + TOP
        parts += _lines(panel, top) if isinstance(panel, Lines) else _bars(panel, top)
    return "\n".join([*parts, "</svg>", ""])


def ticks(first: float, last: float) -> list[float]:
    """Round numbers between the two, at most about six."""
    step = round_up((last - first) / 6) if last > first else 1.0
    return [number * step for number in range(math.ceil(first / step), math.floor(last / step + 1e-9) + 1)]


def _lines(panel: Lines, top: float) -> list[str]:
    points = [point for line in panel.lines.values() for point in line]
    most = panel.most or round_up(max((y for _, y in points), default=1.0))
    first, last = min(x for x, _ in points), max(x for x, _ in points)

    def x_of(x: float) -> float:
        if first == last:
            return (LEFT + RIGHT_EDGE) / 2
        part = math.log(x / first) / math.log(last / first) if panel.is_log else (x - first) / (last - first)
        return LEFT + (RIGHT_EDGE - LEFT) * part

    parts = _frame(panel.title, panel.up, top, most)
    shown = sorted({x for x, _ in points}) if panel.is_log else ticks(first, last)
    for x in shown:
        parts.append(_text(x_of(x), top + PANEL + 16, f"{x:,.3g}" if x < 1000 else f"{x:,.0f}", "middle"))
    parts.append(_text((LEFT + RIGHT_EDGE) / 2, top + PANEL + 34, panel.across, "middle"))
    for number, (name, line) in enumerate(panel.lines.items()):
        colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
        path = " ".join(f"{x_of(x):.1f},{_y(y, most, top):.1f}" for x, y in line)
        style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
        parts.append(f'<polyline points="{path}" fill="none" {style}/>')
        parts += _legend(number, name, top, f'<line x1="0" y1="-4" x2="26" y2="-4" {style}/>')
    return parts


def _bars(panel: Bars, top: float) -> list[str]:
    most = round_up(panel.most)
    parts = _frame(panel.title, panel.up, top, most)
    room = (RIGHT_EDGE - LEFT) / max(1, len(panel.groups))
    wide = room * (1 - GAP_SHARE) / (1 if panel.is_stacked else max(1, len(panel.series)))
    for place, (name, group) in enumerate(panel.groups.items()):
        x, base = LEFT + room * (place + GAP_SHARE / 2), 0.0
        parts.append(_text(LEFT + room * (place + 0.5), top + PANEL + 16, name, "middle"))
        for number, series in enumerate(panel.series):
            value = group.get(series, 0.0)
            at = x if panel.is_stacked else x + number * wide
            upper, lower = _y(base + value, most, top), _y(base, most, top)
            colour = COLOURS[number % len(COLOURS)]
            size = f'width="{wide:.1f}" height="{max(0.0, lower - upper):.1f}"'
            parts.append(f'<rect x="{at:.1f}" y="{upper:.1f}" {size} fill="{colour}"/>')
            base += value if panel.is_stacked else 0.0
    for number, series in enumerate(panel.series):
        parts += _legend(number, series, top, f'<rect y="-11" width="26" height="11" fill="{COLOURS[number]}"/>')
    return parts


def _frame(title: str, up: str, top: float, most: float) -> list[str]:
    parts = [_text(LEFT, top - 12, title, "start", weight="bold")]
    for tick in range(TICKS + 1):
        y = _y(most * tick / TICKS, most, top)
        parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{RIGHT_EDGE}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{most * tick / TICKS:,.4g}", "end"))
    corner = f"{LEFT},{top} {LEFT},{top + PANEL} {RIGHT_EDGE},{top + PANEL}"
    parts.append(f'<polyline points="{corner}" fill="none" stroke="#444444"/>')
    middle = top + PANEL / 2
    turned = f'transform="rotate(-90 18 {middle:.0f})"'
    return [*parts, f'<text x="18" y="{middle:.0f}" text-anchor="middle" fill="#222222" {turned}>{up}</text>']


def _legend(number: int, name: str, top: float, mark: str) -> list[str]:
    y = top + 14 + 20 * number
    return [f'<g transform="translate({RIGHT_EDGE + 14} {y})">{mark}</g>', _text(RIGHT_EDGE + 46, y, name, "start")]


def _y(value: float, most: float, top: float) -> float:
    return top + PANEL * (1 - value / most)


def _text(x: float, y: float, words: str, anchor: str, *, weight: str = "normal") -> str:
    safe = words.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#222222" font-weight="{weight}">{safe}</text>'
