from __future__ import annotations

import time

from weft.clock import Clock, FakeClock


def test_the_real_wall_clock_is_the_systems() -> None:
    before = time.time()
    assert before <= Clock().wall() <= time.time()


def test_the_real_monotonic_clock_is_the_systems() -> None:
    before = time.monotonic()
    assert before <= Clock().monotonic() <= time.monotonic()


def test_a_fake_clock_stands_still_until_it_is_advanced() -> None:
    clock = FakeClock(start=100.0)
    assert (clock.wall(), clock.monotonic()) == (100.0, 100.0)
    clock.advance(2.5)
    assert (clock.wall(), clock.monotonic()) == (102.5, 102.5)
