"""How long a stop waits."""

from __future__ import annotations

from weft.clock import FakeClock
from weft.workers.grace import GRACE_S, Grace


def test_work_that_was_not_asked_to_stop_has_all_the_time_there_is() -> None:
    clock = FakeClock()
    grace = Grace(clock)
    clock.advance(1e9)
    assert not grace.is_over


def test_grace_is_over_when_its_time_has_passed_since_the_stop() -> None:
    clock = FakeClock()
    grace = Grace(clock)
    clock.advance(1000)
    grace.begin()
    clock.advance(GRACE_S - 0.1)
    assert not grace.is_over
    clock.advance(0.1)
    assert grace.is_over


def test_asking_again_does_not_make_it_longer() -> None:
    clock = FakeClock()
    grace = Grace(clock)
    grace.begin()
    clock.advance(GRACE_S / 2)
    grace.begin()
    clock.advance(GRACE_S / 2)
    assert grace.is_over
