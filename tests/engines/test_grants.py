"""`--max-pages` of several engines: never more than that, and all of it where there is work for it."""

from __future__ import annotations

import os
import random
from functools import partial

import pytest

from weft.engines.grants import Granted, Pot
from weft.engines.received import Received
from weft.stats import Counters


@pytest.mark.parametrize("seed", range(20))
def test_all_pages_are_fetched_and_no_more_whoever_has_the_work(seed: int) -> None:
    chance = random.Random(seed)
    limit, count = chance.randrange(1, 200), chance.choice((2, 3, 8))
    pot = Pot(limit, count)
    wanting: set[int] = set()
    counters = [Counters() for _ in range(count)]
    engines = [Granted(one, has_limit=True, ask=partial(wanting.add, number)) for number, one in enumerate(counters)]
    work = [chance.randrange(150) for _ in range(count)]
    for _ in range(20_000):
        number = chance.randrange(count)
        engine = engines[number]
        if not work[number]:
            if unused := engine.give_back():
                for other, more in pot.give_back(number, unused):
                    engines[other].more(more)
        elif not engine.is_near(0):
            counters[number].pages += 1
            work[number] -= 1
        if number in wanting:
            wanting.discard(number)
            if more := pot.ask(number):
                engine.more(more)
    assert sum(one.pages for one in counters) <= limit
    if any(work):
        assert sum(one.pages for one in counters) == limit
        assert pot.left == 0
        assert all(engine.is_at_limit for number, engine in enumerate(engines) if work[number])


def test_without_a_limit_nothing_is_asked_for() -> None:
    granted = Granted(Counters(), has_limit=False, ask=lambda: pytest.fail("asked"))
    assert not granted.is_near(1_000_000)
    assert granted.give_back() == 0


def test_what_is_under_way_counts_as_if_it_had_come() -> None:
    counters = Counters()
    granted = Granted(counters, has_limit=True, ask=lambda: None)
    granted.more(3)
    assert not granted.is_near(2)
    assert granted.is_near(3)
    assert not granted.is_at_limit, "they may fail"
    counters.pages = 3
    assert granted.is_near(0)
    assert granted.is_at_limit


def test_the_end_by_a_limit_stops_an_engine_that_has_pages_left() -> None:
    granted = Granted(Counters(), has_limit=True, ask=lambda: None)
    granted.more(100)
    assert not granted.is_reached()
    granted.is_over = True
    assert granted.is_near(0)
    assert granted.is_reached()


def test_a_limit_of_bytes_holds_for_each_engine_as_soon_as_all_have_reached_it() -> None:
    descriptor = Received.make(2)
    first, second = (Received(descriptor, number, 2) for number in range(2))
    ours, theirs = Counters(), Counters()
    limits = [
        Granted(counters, has_limit=False, ask=lambda: None, max_bytes=100, received=received.by_all)
        for counters, received in ((ours, first), (theirs, second))
    ]
    ours.bytes, theirs.bytes = 60, 39
    assert [one.is_near(1) for one in limits] == [False, False]
    theirs.bytes += 1
    assert [one.is_near(1) for one in reversed(limits)] == [True, True]
    for received in (first, second):
        received.close()
    os.close(descriptor)


def test_what_an_engine_received_in_earlier_runs_counts_before_it_begins() -> None:
    told: list[int] = []

    def by_all(ours: int) -> int:
        told.append(ours)
        return ours

    Granted(Counters(bytes=70), has_limit=False, ask=lambda: None, max_bytes=100, received=by_all)
    assert told == [70]
