"""Tables below the figures of a crawl, each a title with rows: as many of them as a terminal's height has room for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from weft.cli.live_view import cut
from weft.cli.shown import said, size, span
from weft.live.status import HostFigures, Status

NARROWEST_NAME = 16  # cells; columns at the right give way
NARROWEST_WORDS = 24  # in a last column
GAP = 2
WORDS = frozenset(("why", "answer", "state", "limited by"))  # columns that are read from the left


class Section(NamedTuple):
    """A table: the first cell of a row is a name, which takes the room that is left."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def sections_of(status: Status) -> list[Section]:
    """What there is to say of a crawl, what is asked most first."""
    waits = [(wait.name, f"{wait.rest_s:,.1f} s" if wait.rest_s else "", wait.why) for wait in status.waiting]
    newest = [
        (page.url, str(page.status or page.outcome), size(page.bytes), span(page.took_s)) for page in status.newest
    ]
    stages = [
        (one.name, f"{one.workers:,}", f"{one.most:,}", f"{one.buffer:,}", f"{one.idle_percent:.0f} %",
         f"{one.done_per_s:,.1f}", one.why)
        for one in status.stages
    ]  # fmt: skip
    found = [
        Section("stages", ("workers", "at most", "waiting", "idle", "a second", "why"), stages),
        Section("newest pages", ("answer", "size", "took"), newest),
        Section("hosts that wait", ("for", "why"), waits),
        Section("hosts by pages", ("pages", "received", "failed", "mean wait"), _hosts(status.by_pages)),
        Section("slowest hosts", ("pages", "received", "failed", "mean wait"), _hosts(status.slowest)),
        Section("left for another run", ("why",), [(wait.name, wait.why) for wait in status.left]),
        Section("last commands", ("at",), [(done.words, done.at) for done in status.commands]),
    ]
    return [section for section in found if section.rows]


def _hosts(hosts: Iterable[HostFigures]) -> list[tuple[str, ...]]:
    return [
        (host.name, f"{host.pages:,}", size(host.bytes), f"{host.failed:,}", span(host.mean_wait_s)) for host in hosts
    ]


def fitted(sections: Sequence[Section], lines: int) -> list[Section]:
    """The tables cut to this many lines: first each that has room with one row, then all grow in turn."""
    shown = [0] * len(sections)
    for number in range(len(sections)):
        if lines >= 2:
            shown[number], lines = 1, lines - 2
    while lines and (growing := [number for number, rows in enumerate(shown) if 0 < rows < len(sections[number].rows)]):
        for number in growing[:lines]:
            shown[number] += 1
        lines -= len(growing[:lines])
    return [section._replace(rows=section.rows[:rows]) for section, rows in zip(sections, shown, strict=True) if rows]


def section_lines(section: Section, width: int, encoding: str = "utf-8") -> list[Text]:
    """The title with the names of the columns, and the rows."""
    rows = [tuple(said(cell) for cell in row) for row in section.rows]
    heads = (section.title, *section.columns)
    first, *widths = (max(map(cell_len, cells)) for cells in zip(heads, *rows, strict=True))
    missing = first + sum(widths) + GAP * len(widths) - width
    if missing > 0 and heads[-1] in WORDS:
        widths[-1] = min(widths[-1], max(NARROWEST_WORDS, widths[-1] - missing))
    while widths and width - sum(widths) - GAP * len(widths) < NARROWEST_NAME:
        widths.pop()
    first = max(1, min(first, width - sum(widths) - GAP * len(widths)))
    lines = [_row(cells, heads, (first, *widths)) for cells in (heads, *rows)]
    lines[0].stylize("bold")
    return [cut(line, width, encoding) for line in lines]


def _row(cells: Sequence[str], heads: Sequence[str], widths: Sequence[int]) -> Text:
    line = Text()
    for number, width in enumerate(widths):
        cell = Text(cells[number])
        cell.truncate(width, overflow="ellipsis")
        blanks = " " * (width - cell.cell_len)
        is_read_from_left = not number or heads[number] in WORDS
        line.append(" " * GAP if number else "")
        line.append_text(cell).append(blanks) if is_read_from_left else line.append(blanks).append_text(cell)
    line.rstrip()
    return line
