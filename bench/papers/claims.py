"""What is claimed of an experiment, how often it held in the runs, and what that says of a table or figure. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

HOLDS, DOES_NOT_HOLD, CANNOT = "holds", "does not hold", "cannot be repeated, because"


class Claim(msgspec.Struct, frozen=True):
    """An ordering, and in how many of the runs it was seen."""

    what: str
    held: int
    runs: int

    @property
    def always(self) -> bool:
        """In every run."""
        return self.held == self.runs > 0

    @property
    def told(self) -> str:
        """With its count."""
        return f"{self.what}: {self.held} of {self.runs}"


class Exhibit(msgspec.Struct, frozen=True):
    """A table, figure or equation of a paper that shows a measurement, and what became of it here."""

    paper: int
    name: str
    shows: str
    verdict: str


def claim(what: str, outcomes: Iterable[bool]) -> Claim:
    """From what each run says."""
    seen = list(outcomes)
    return Claim(what, sum(seen), len(seen))


def verdict(claims: Sequence[Claim]) -> str:
    """Of an exhibit that claims all of these: it holds when each held in every run."""
    failed = [each for each in claims if not each.always]
    if not failed:
        runs = max(each.runs for each in claims)
        return f"{HOLDS}: {len(claims)} of {len(claims)} orderings, in {runs} of {runs} runs"
    return f"{DOES_NOT_HOLD}: {'; '.join(each.told for each in failed)}"


def cannot(because: str) -> str:
    """A verdict for what nobody can repeat here."""
    return f"{CANNOT} {because}"


def claims_table(claims: Sequence[Claim]) -> list[list[str]]:
    """A line an ordering."""
    return [["ordering", "held"], *([each.what, f"{each.held} of {each.runs}"] for each in claims)]
