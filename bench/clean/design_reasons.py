"""Why the designs come in the order they do, told by the measured database times. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.clean.design_tables import PAPER_S_PER_1000, best_runs
from bench.clean.experiment import WEFT_TAKES, Run
from bench.clean.stopwatch import Stopwatch

ALIKE = 0.05  # a difference smaller than this says nothing


@dataclass(slots=True, frozen=True)
class _Times:
    """A run's figures, each for 1,000 pages: seconds for them are milliseconds for one page."""

    run: Run
    maintaining: Stopwatch
    deleting: Stopwatch

    def both(self, of: Callable[[Stopwatch], float]) -> str:
        """The same figure of S and of D."""
        return f"{self._per_1000(of(self.maintaining)):.1f} and {self._per_1000(of(self.deleting)):.1f}"

    def waits(self) -> str:
        """Shares of S and D."""
        return f"{self.maintaining.waiting_share:.0%} and {self.deleting.waiting_share:.0%}"

    @property
    def operations(self) -> float:
        return self._per_1000(self.maintaining.operations + self.deleting.operations)

    @property
    def cleaning_s(self) -> float:
        return self._per_1000(self.deleting.cleaning_s)

    def _per_1000(self, amount: float) -> float:
        return 1000 * amount / self.run.pages


def reasons(runs: Sequence[Run], database: str) -> list[str]:
    """A sentence for each step from one design to the next, as far as both were run."""
    by_name = {run.design: run for run in best_runs(runs, database)}
    steps = [
        ("A1S1D", "B1S1D", "the pool", _by_connections),
        ("A1S1D", "A1S2D", "a second deletion thread", _by_threads),
        ("B1S1D", "B1S2D", "a second deletion thread", _by_threads),
        ("B serial", "B1S1D", "a thread for each side", _by_locks),
        ("B1S1D", "C1S1D", "batches", _by_batches),
        ("C1S1D", WEFT_TAKES, "several processes, and nothing lost by a kill", None),
    ]
    return [
        f"**{one} → {other}, {step}**: {_change(by_name[one], by_name[other])}."
        + (f" {why(_times(by_name[one]), _times(by_name[other]))}" if why else "")
        for one, other, step, why in steps
        if one in by_name and other in by_name
    ]


def _by_connections(before: _Times, after: _Times) -> str:
    return (
        f"Connections took S and D {before.both(_opening)} s for 1,000 pages, now {after.both(_opening)} s; "
        f"statements {before.both(_statements)} s, now {after.both(_statements)} s."
    )


def _by_threads(before: _Times, after: _Times) -> str:
    return (
        f"A pop and an insert took {before.both(_database)} ms, now {after.both(_database)} ms. "
        f"S and D waited for each other {before.waits()} of their time, now {after.waits()}."
    )


def _by_locks(before: _Times, after: _Times) -> str:
    return (
        f"With nobody beside them a pop and an insert took {before.both(_database)} ms; "
        f"beside each other {after.both(_database)} ms."
    )


def _by_batches(before: _Times, after: _Times) -> str:
    return (
        f"{before.operations:,.0f} operations for 1,000 pages became {after.operations:,.0f}. The database took "
        f"S and D {before.both(_database)} s, now {after.both(_database)} s; D cleans for {after.cleaning_s:.1f} s."
    )


def _opening(watch: Stopwatch) -> float:
    return watch.opening_s


def _statements(watch: Stopwatch) -> float:
    return watch.statements_s


def _database(watch: Stopwatch) -> float:
    return watch.database_s


def _times(run: Run) -> _Times:
    assert run.maintaining
    assert run.deleting
    return _Times(run, run.maintaining, run.deleting)


def _change(one: Run, other: Run) -> str:
    """By how much, with the paper's own figure where it has one."""
    told = (
        f"{one.s_per_1000:.2f} → {other.s_per_1000:.2f} s per 1,000 pages, {_percent(one.s_per_1000, other.s_per_1000)}"
    )
    if one.design in PAPER_S_PER_1000 and other.design in PAPER_S_PER_1000:
        told += f" (the paper: {_percent(PAPER_S_PER_1000[one.design], PAPER_S_PER_1000[other.design])})"
    return told


def _percent(before: float, after: float) -> str:
    ratio = after / before
    if abs(ratio - 1) < ALIKE:
        return "about the same"
    return f"{abs(ratio - 1):.0%} {'more' if ratio > 1 else 'less'}"
