from __future__ import annotations

from weft.pipeline.slots import SlotClimb, SlotPeriod

PERIOD_S = 0.25
LATENCY_S = 0.6


def period(slots: int, busy: int, answered: int, held: str = "") -> SlotPeriod:
    return SlotPeriod(
        seconds=PERIOD_S,
        slots=slots,
        least=8,
        most=1024,
        busy_s=busy * PERIOD_S,
        answered=answered,
        failed=0,
        held=held,
    )


def test_a_slow_start_does_not_end_the_first_climb() -> None:
    """Few hosts, which answer soon; then all slots are in use and answers take their time. That is no step in latency.

    Taken for one, the slots would grow until they bring what came before, and by a fifth now and then from there on.
    """
    climb = SlotClimb()
    slots = 64
    for busy, answered in ((40, 40), (33, 20), (29, 15), (49, 30)):
        slots, _ = climb.step(period(slots, busy, answered))
    slots, _ = climb.step(period(slots, slots, 27, held="parse has no time left"))
    slots, _ = climb.step(period(slots, slots, 20))
    assert slots == 128
    for _ in range(12):
        slots, _ = climb.step(period(slots, slots, round(slots / LATENCY_S * PERIOD_S)))
    assert slots == 1024
