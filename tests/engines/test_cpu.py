"""What several engines took is told once, of engines and of workers apart."""

from __future__ import annotations

from weft.engines.cpu import Cpu, beside_ours


def test_an_engine_that_has_ended_is_taken_from_the_workers_with_which_it_is_counted() -> None:
    assert beside_ours([Cpu(3.0, 2.0)], []) == Cpu(3.0, -3.0)


def test_an_engine_that_runs_is_added_with_its_workers() -> None:
    assert beside_ours([], [Cpu(3.0, 2.0), Cpu(1.0, 0.5)]) == Cpu(4.0, 2.5)
