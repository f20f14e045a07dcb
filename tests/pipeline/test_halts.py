"""For how long slots stood empty, and why."""

from __future__ import annotations

from weft.clock import FakeClock
from weft.pipeline.halts import Halt, HaltClock


def test_empty_slots_are_counted_by_their_reason_and_time() -> None:
    clock = FakeClock(1000.0)
    halts = HaltClock(clock)
    halts.note(Halt.NO_HOST, 4)
    clock.advance(2.0)
    halts.note(Halt.PARSE, 3)
    clock.advance(1.0)
    halts.note(Halt.SLOTS, 0)
    clock.advance(5.0)
    free_s = halts.free_s()
    assert {halt: seconds for halt, seconds in free_s.items() if seconds} == {Halt.NO_HOST: 8.0, Halt.PARSE: 3.0}
    assert halts.now is Halt.SLOTS


def test_what_goes_on_counts_up_to_now() -> None:
    clock = FakeClock(1000.0)
    halts = HaltClock(clock)
    halts.note(Halt.PACE, 2)
    clock.advance(1.0)
    assert halts.free_s()[Halt.PACE] == 2.0
    clock.advance(1.0)
    assert halts.free_s()[Halt.PACE] == 4.0
