"""When a crawl of several engines is over: two rounds of the same counts, and all idle in both."""

from __future__ import annotations

from weft.config import CrawlConfig
from weft.engines.coordinator import Coordinator
from weft.engines.ending import Rounds
from weft.engines.messages import Answer, Now, ToEngine


def answers(rounds: Rounds, *counts: tuple[bool, int, int]) -> bool:
    number = rounds.begin()
    assert number is not None
    heard = [rounds.hear(engine, Answer(number, *one)) for engine, one in enumerate(counts)]
    return any(heard)


def test_two_rounds_in_which_all_are_idle_and_no_count_changes_are_the_end() -> None:
    rounds = Rounds(2)
    assert not answers(rounds, (True, 3, 1), (True, 1, 3))
    assert answers(rounds, (True, 3, 1), (True, 1, 3))


def test_one_round_is_not_enough_whatever_it_says() -> None:
    assert not answers(Rounds(2), (True, 0, 0), (True, 0, 0))


def test_a_row_that_was_sent_between_two_rounds_shows() -> None:
    rounds = Rounds(2)
    assert not answers(rounds, (True, 3, 1), (True, 1, 3))
    assert not answers(rounds, (True, 4, 1), (True, 1, 4))
    assert answers(rounds, (True, 4, 1), (True, 1, 4))


def test_a_row_on_its_way_shows() -> None:
    rounds = Rounds(2)
    for _ in range(3):
        assert not answers(rounds, (True, 1, 0), (True, 0, 0))


def test_an_engine_that_was_busy_in_between_begins_it_again() -> None:
    rounds = Rounds(2)
    assert not answers(rounds, (True, 0, 0), (True, 0, 0))
    assert not answers(rounds, (False, 0, 0), (True, 0, 0))
    assert not answers(rounds, (True, 0, 0), (True, 0, 0))
    rounds.busy()
    assert not answers(rounds, (True, 0, 0), (True, 0, 0))
    assert answers(rounds, (True, 0, 0), (True, 0, 0))


def test_answers_of_an_earlier_round_count_for_nothing() -> None:
    rounds = Rounds(1)
    first = rounds.begin()
    assert first is not None
    assert rounds.begin() is None, "one is under way"
    assert not rounds.hear(0, Answer(first, True, 0, 0))
    second = rounds.begin()
    assert second is not None
    assert not rounds.hear(0, Answer(first, True, 0, 0))
    assert rounds.hear(0, Answer(second, True, 0, 0))


def test_what_was_on_its_way_in_a_killed_run_arrives_even_if_a_limit_is_reached() -> None:
    said: list[ToEngine] = []
    config = CrawlConfig(seeds=("http://a.test/",), max_bytes=100)
    for settles in (True, False):
        coordinator = Coordinator(config, 2, 0, lambda _, message: said.append(message), lambda: False, settles=settles)
        coordinator.hear(0, Now(bytes=100))
        assert bool(said) is not settles
