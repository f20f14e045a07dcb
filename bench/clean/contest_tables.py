"""The contest's figures as a person reads them. Pure."""

from __future__ import annotations

from bench.clean.contest import PEERS_SAY, Entry
from bench.table import NONE

TITLES = ["tool", "pages/s", "CPU ms a page", "weft is × faster", "× less CPU", "words in common", "tags"]
KEY = "the best of the rounds, one core each; in common: with weft's output, 100 % if it is the same"


def contest_rows(entries: list[Entry]) -> list[list[str]]:
    """Each output as a line of its own, below it its tools, weft first."""
    rows = []
    for output, said in PEERS_SAY.items():
        found = [entry for entry in entries if entry.output == output]
        ours = next(entry for entry in found if entry.tool == "weft")
        rows.append([said, *[""] * (len(TITLES) - 1)])
        rows += [_cells(entry, ours) for entry in found]
    return rows


def not_ahead(entries: list[Entry]) -> list[str]:
    """Where weft is not the fastest: a sentence each."""
    ours = {entry.output: entry for entry in entries if entry.tool == "weft"}
    return [
        f"{entry.tool} is faster than weft at {PEERS_SAY[entry.output]}"
        for entry in entries
        if entry.tool != "weft" and entry.pages_per_s >= ours[entry.output].pages_per_s
    ]


def _cells(entry: Entry, ours: Entry) -> list[str]:
    is_ours = entry is ours
    return [
        f"– {entry.tool}",
        f"{entry.pages_per_s:,.0f}",
        f"{entry.cpu_ms:.2f}",
        NONE if is_ours else f"{ours.pages_per_s / entry.pages_per_s:.1f}",
        NONE if is_ours else f"{entry.cpu_ms / ours.cpu_ms:.1f}",
        NONE if is_ours else f"{entry.likeness.words:.0%}",
        NONE if is_ours or entry.likeness.tags is None else f"{entry.likeness.tags:.0%}",
    ]
