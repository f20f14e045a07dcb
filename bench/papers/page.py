"""docs/papers.md: blocks between markers, and rows of its index, are the last run's; all else is by hand. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bench.clean.document import with_part
from bench.papers.claims import Exhibit
from bench.papers.part import PaperPart

INDEX = "index"
INDEX_TITLES = ["paper", "exhibit", "shows", "here"]


def markdown(rows: Sequence[Sequence[str]], key: str = "") -> str:
    """A table, its first column left and the others right, with a line below that says how to read it."""
    head, *body = rows
    lines = [_row(head), "|---" + "|---:" * (len(head) - 1) + "|", *map(_row, body)]
    return "\n".join([*lines, *(["", f"{key[0].upper()}{key[1:]}."] if key else [])])


def picture(name: str, says: str) -> str:
    """A plot beside the page."""
    return f"![{says}](papers/{name})"


def with_paper(page: str, part: PaperPart) -> str:
    """The page with a paper's new blocks, and its rows in the index."""
    for name, block in part.blocks.items():
        page = with_part(page, name, f"\n{block}\n")
    if part.exhibits:
        page = with_part(page, INDEX, f"\n{index(page, part.exhibits)}\n")
    return page


def index(page: str, exhibits: Sequence[Exhibit]) -> str:
    """The table of all exhibits: those of other papers as they stand in the page."""
    paper = exhibits[0].paper
    _, _, rest = page.partition(f"<!-- {INDEX} -->")
    block, _, _ = rest.partition(f"<!-- end of {INDEX} -->")
    new = {paper: [_row([str(each.paper), each.name, each.shows, each.verdict]) for each in exhibits]}
    for line in block.splitlines():
        number = line.removeprefix("| ").partition(" ")[0]
        if number.isdigit() and int(number) != paper:
            new.setdefault(int(number), []).append(line)
    rows = [line for number in sorted(new) for line in new[number]]
    return "\n".join([_row(INDEX_TITLES), "|---:|---|---|---|", *rows])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
