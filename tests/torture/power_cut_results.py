"""The power cuts of a long run, counted by what log and WARC files lost."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import product
from typing import get_args

from tests.torture.lossy_fs import Fate
from tests.torture.power_cut_judge import Verdict
from tests.torture.table import table

FATES: tuple[Fate, ...] = get_args(Fate)
Pairing = tuple[Fate, Fate]  # of the database's log, and of the WARC files
PAIRINGS: tuple[Pairing, ...] = tuple(product(FATES, FATES))


@dataclass(frozen=True, slots=True)
class Moment:
    """A power cut: before which call, and with what loss."""

    at: int
    pairing: Pairing
    is_real: bool  # both the log and the archive had something to lose


@dataclass(slots=True)
class Line:
    """A line of the table."""

    disks: int = 0
    acknowledged: int = 0  # pages, by the time of the cut
    begun_anew: int = 0  # nothing was acknowledged, and not even the settings were there
    unopened: int = 0  # or not brought to an end
    verdict: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Line) -> Line:
        return Line(
            self.disks + other.disks,
            self.acknowledged + other.acknowledged,
            self.begun_anew + other.begun_anew,
            self.unopened + other.unopened,
            self.verdict + other.verdict,
        )

    def figures(self) -> list[int]:
        """As the table has them."""
        figures = [self.disks, self.acknowledged, self.begun_anew, self.unopened]
        return figures + [self.verdict[name] for name in Verdict().counts()]


class Results:
    """What all cuts came to."""

    def __init__(self) -> None:
        self.lines: dict[Pairing | None, Line] = {pairing: Line() for pairing in (*PAIRINGS, None)}
        self.in_a_row: Counter[int] = Counter()
        self.ends = 0  # crawls that came to their end under strace: nothing of what they left may be unsafe
        self.faults: list[str] = []

    def least_seen(self, chance: random.Random) -> Pairing:
        """A pairing that had the fewest turns."""
        return min(PAIRINGS, key=lambda pairing: (self.lines[pairing].disks, chance.random()))

    def line(self, moment: Moment) -> Line:
        """The line that a cut counts in."""
        return self.lines[moment.pairing if moment.is_real else None]

    def is_good(self) -> bool:
        """Every pairing was there with something to lose, and nothing was lost."""
        return not self.faults and all(self.lines[pairing].acknowledged for pairing in PAIRINGS)

    def table(self) -> str:
        """One line a pairing, one for cuts at other moments, and the sum."""
        names = [name.replace("_", " ") for name in Verdict().counts()]
        heads = ["log, WARC", "disks", "acknowledged", "again", "unopened", *names]
        rows = [[", ".join(pairing or ("other moments",)), *line.figures()] for pairing, line in self.lines.items()]
        rows.append(["sum", *sum(self.lines.values(), Line()).figures()])
        chains = ", ".join(f"{times} × {cuts}" for cuts, times in sorted(self.in_a_row.items()))
        return f"{table(heads, rows)}\ncuts in a row before the end: {chains}; ends traced: {self.ends}"
