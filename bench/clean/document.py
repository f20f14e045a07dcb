"""docs/clean-bench.md: its tables are the last run's, between markers; all else in it is written by hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bench.clean.contest import Entry
from bench.clean.contest_tables import KEY, contest_rows, not_ahead
from bench.clean.contest_tables import TITLES as CONTEST_TITLES
from bench.clean.design_reasons import reasons
from bench.clean.design_tables import SPEED_KEY, SPEED_TITLES, TIME_KEY, TIME_TITLES, speed_rows, time_rows, verdicts
from bench.clean.experiment import Run
from bench.table import aligned

DOCUMENT = Path(__file__).parents[2] / "docs" / "clean-bench.md"


class NoMarkers(Exception):
    """The document has no place for these figures."""


def experiment_part(runs: Sequence[Run], *, as_markdown: bool) -> str:
    """Each database: figure 3, figure 4, and why."""
    parts = []
    for database in dict.fromkeys(run.database for run in runs):
        parts += [
            f"### {database}" if as_markdown else database,
            _shown([SPEED_TITLES, *speed_rows(runs, database)], SPEED_KEY, as_markdown),
            _shown([TIME_TITLES, *time_rows(runs, database)], TIME_KEY, as_markdown),
            "\n".join(f"- {reason}" for reason in reasons(runs, database)),
            "\n".join(f"- {sentence}" for sentence in verdicts(runs, database)),
        ]
    return "\n\n".join(parts)


def contest_part(entries: Sequence[Entry], *, as_markdown: bool) -> str:
    """The other cleaners."""
    behind = not_ahead(list(entries))
    told = "; ".join(behind) if behind else "weft is ahead of each at every output"
    return f"{_shown([CONTEST_TITLES, *contest_rows(list(entries))], KEY, as_markdown)}\n\n{told}"


def with_part(document: str, name: str, part: str) -> str:
    """The document with a new part between `<!-- name -->` and `<!-- end of name -->`."""
    first, last = f"<!-- {name} -->", f"<!-- end of {name} -->"
    whole = re.compile(f"{re.escape(first)}.*{re.escape(last)}", re.DOTALL)
    if not whole.search(document):
        raise NoMarkers(f"there is no {first} with its end")
    return whole.sub(lambda _: f"{first}\n{part}\n{last}", document)


def write_document(parts: dict[str, str], path: Path = DOCUMENT) -> None:
    """Put each part where it belongs."""
    document = path.read_text()
    for name, part in parts.items():
        document = with_part(document, name, part)
    path.write_text(document)


def _shown(rows: list[list[str]], key: str, as_markdown: bool) -> str:
    if not as_markdown:
        return "\n".join([*aligned(rows), f"  {key}"])
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|---" + "|---:" * (len(rows[0]) - 1) + "|")
    return "\n".join([*lines, "", f"{key[0].upper()}{key[1:]}."])
