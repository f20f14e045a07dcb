"""A table of data in GitHub's form.

Cells are parts of a line. A cell over several columns is followed by empty ones, and so is one over several rows from
below. Markdown wants a row of headings: one that the page does not have is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from turbohtml import Element

# A cell of Markdown is a part of a line: it cannot hold these, and no table of data does.
_BLOCKS_OF_A_PAGE: Final = "table, pre, h1, h2, h3, h4, hr, listing, xmp"
_MOST_SPANNED: Final = 30  # a page of a few bytes could ask for a million empty cells


@dataclass(slots=True)
class Cell:
    text: str
    is_heading: bool
    columns: int
    rows: int


@dataclass(slots=True)
class Table:
    """The cells of the rows so far. Rows without any text are left out."""

    rows: list[list[Cell]] = field(default_factory=list)

    def markdown(self) -> str:
        rows = [row for row in self.rows if any(cell.text for cell in row)]
        if not rows:
            return ""
        lines = list(_in_columns(rows))
        width = max(map(len, lines))
        is_headed = all(cell.is_heading or not cell.text for cell in rows[0])
        head = lines.pop(0) if is_headed else []
        head += [""] * (width - len(head))
        return "\n".join([_row(head), _row(["---"] * width), *map(_row, lines)])


def lays_out_the_page(table: Element) -> bool:
    """Whether a table is there for the looks of the page, and is read cell after cell."""
    return (
        table.attr("role") in ("presentation", "none")
        or table.select_one(_BLOCKS_OF_A_PAGE) is not None
        or (table.select_one("th") is None and (table.select_one("td + td") is None or _has_prose(table)))
    )


def _has_prose(table: Element) -> bool:
    return table.select_one("td p + p, td blockquote, td article, td section") is not None


def span_of(cell: Element, name: str) -> int:
    value = cell.attr(name)
    if value is None or not (value := value.strip()).isdecimal():
        return 1
    return max(1, min(int(value[:4]), _MOST_SPANNED))


def _in_columns(rows: list[list[Cell]]) -> Iterator[list[str]]:
    below: dict[int, int] = {}  # for how many more rows a column is taken from above
    for row in rows:
        line: list[str] = []
        taken: dict[int, int] = {}
        for cell in row:
            while below.get(len(line)):
                line.append("")
            for column in range(len(line), len(line) + cell.columns):
                if cell.rows > 1 and column < _MOST_SPANNED:
                    taken[column] = cell.rows - 1
            line.append(cell.text)
            line += [""] * (cell.columns - 1)
        while line and not line[-1]:
            line.pop()
        yield line
        below = {column: left - 1 for column, left in below.items() if left > 1} | taken


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |" if cells else "| |"
