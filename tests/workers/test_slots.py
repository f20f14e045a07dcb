from __future__ import annotations

from weft.workers.slots import SlotClimb, SlotPeriod

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


def test_parsing_that_falls_behind_for_a_moment_does_not_end_the_first_climb() -> None:
    """Another program takes the core while twice the slots are tried: that they bring nothing is not the network."""
    climb = SlotClimb()
    slots, _ = climb.step(period(64, 64, 27))
    assert slots == 128
    for _ in range(8):
        slots, _ = climb.step(period(slots, slots, 27, held="parse has no time left"))
    assert slots == 64
    for _ in range(20):
        slots, _ = climb.step(period(slots, slots, round(slots / LATENCY_S * PERIOD_S)))
    assert slots == 1024


def test_a_step_in_latency_is_answered_even_if_parsing_was_behind_just_before() -> None:
    """Answers take four times as long from one second to the next; until then the workers were the bottleneck."""
    climb = SlotClimb()
    slots = 500

    def second(latency_s: float, *, is_blocked: bool = False) -> SlotPeriod:
        busy = 0.95 * slots if is_blocked else slots
        return SlotPeriod(
            seconds=1.0, slots=slots, least=8, most=4096, busy_s=busy, answered=round(busy / latency_s), failed=0,
            is_blocked=is_blocked, held="parse has no time left" if is_blocked else "",
        )  # fmt: skip

    for _ in range(20):
        slots, _ = climb.step(second(0.3, is_blocked=True))
    for _ in range(10):
        slots, _ = climb.step(second(1.2))
    assert slots >= 1500


def test_a_trial_during_which_all_hosts_rest_does_not_end_the_crawl() -> None:
    """Many hosts that are asked at about the same time, with a long delay: for a while nothing is under way."""
    for slow_periods in range(1, 30):  # in some of them fewer slots are tried, because answers take four times as long
        climb = SlotClimb()
        slots = 64
        for answered in (27,) * 20 + (7,) * slow_periods:
            slots, _ = climb.step(period(slots, slots, answered))
        for busy in (0,) * 10 + (slots,) * 10:
            slots, _ = climb.step(period(slots, busy, round(busy / LATENCY_S * PERIOD_S)))
        assert slots >= 8, f"after {slow_periods} slow periods"
