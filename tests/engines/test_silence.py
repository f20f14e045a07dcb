from __future__ import annotations

from weft.engines.silence import Silence


def test_an_engine_that_is_heard_may_take_any_time() -> None:
    silence = Silence(120.0)
    silence.begin([1, 2], 0.0)
    silence.end(2)
    for second in range(3600):  # it downloads, slowly
        assert silence.late(float(second)) is None
        assert silence.left_s(float(second)) is not None
        silence.hear(1, float(second))


def test_one_that_is_silent_for_too_long_hangs_whoever_else_is_heard() -> None:
    silence = Silence(120.0)
    silence.begin([1, 2], 0.0)
    silence.hear(1, 100.0)
    silence.hear(2, 110.0)
    silence.hear(2, 200.0)
    assert (silence.late(219.0), silence.left_s(219.0)) == (None, 1.0)
    assert (silence.late(220.0), silence.left_s(220.0)) == (1, 0.0)


def test_one_that_has_ended_is_not_waited_for() -> None:
    silence = Silence(120.0)
    silence.begin([1], 0.0)
    silence.end(1)
    assert (silence.late(1_000.0), silence.left_s(1_000.0)) == (None, None)


def test_a_listener_that_was_stopped_itself_counts_again() -> None:
    silence = Silence(120.0)
    silence.begin([1], 0.0)
    assert (silence.late(10.0), silence.left_s(10.0)) == (None, 110.0)
    assert (silence.late(500.0), silence.left_s(500.0)) == (None, 120.0)  # Ctrl-Z, and fg
    assert (silence.late(620.0), silence.left_s(620.0)) == (1, 0.0)


def test_silence_counts_from_when_engines_are_waited_for() -> None:
    silence = Silence(120.0)
    silence.begin([1], 0.0)
    silence.count_from(500.0)
    assert (silence.late(619.0), silence.late(620.0)) == (None, 1)
