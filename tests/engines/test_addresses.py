"""An address that several engines ask is asked by each with its share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random

import pytest

from tests.frontier.rig import Rig, url
from tests.frontier.test_gates import MakeRig
from weft.engines.addresses import Addresses, AddressPlace
from weft.frontier.gates import STEP_S

ENGINES = 3
ADDRESS = "192.0.2.1"


@pytest.fixture
def tables() -> Iterator[list[Addresses]]:
    with ExitStack() as closing:
        descriptor = Addresses.make(ENGINES)
        closing.callback(os.close, descriptor)
        made = [Addresses(descriptor, number, ENGINES) for number in range(ENGINES)]
        for one in made:
            closing.callback(one.close)
        yield made


def test_each_engine_counts_once_at_each_address(tables: list[Addresses]) -> None:
    first, second, third = tables
    assert first.at("192.0.2.1", 4).engines == 1
    ours = first.at("192.0.2.1", 4)
    assert ours.engines == 1
    assert second.at("192.0.2.1", 4).engines == 2
    assert third.at("192.0.2.2", 4).engines == 1
    assert third.at("192.0.2.1", 4).engines == 3
    assert ours.enter(4)
    assert ours.engines == 3


def test_an_engine_that_comes_later_waits_until_the_others_have_made_room(tables: list[Addresses]) -> None:
    first = tables[0].at(ADDRESS, 4)
    assert [first.enter(4) for _ in range(5)] == [True, True, True, True, False]
    second = tables[1].at(ADDRESS, 4)
    assert not second.enter(4)
    first.leave()
    assert not first.enter(4), "it has more than its half already"
    assert second.enter(4)


def test_a_host_with_more_connections_raises_what_all_engines_may_have(tables: list[Addresses]) -> None:
    first, second = (table.at(ADDRESS, 2) for table in tables[:2])
    assert [first.enter(2) for _ in range(2)] == [True, False]
    assert second.enter(6)
    assert [first.enter(2) for _ in range(3)] == [True, True, False]
    assert tables[0].at(ADDRESS, 1).enter(1) is False, "that gate was forgotten, and what it has under way was not"


@pytest.mark.parametrize("seed", range(5))
def test_all_engines_together_never_have_more_requests_than_one_might(tables: list[Addresses], seed: int) -> None:
    random, under_way = Random(seed), [0] * ENGINES
    places: dict[int, AddressPlace] = {}
    had_most = 0
    for _ in range(2_000):
        engine = random.randrange(ENGINES)
        if random.random() < 0.6:
            if engine not in places:
                places[engine] = tables[engine].at(ADDRESS, 4)
            under_way[engine] += places[engine].enter(4)
        elif under_way[engine]:
            places[engine].leave()
            under_way[engine] -= 1
        assert sum(under_way) <= 4
        had_most = max(had_most, sum(under_way))
    assert had_most >= ENGINES


class Alone:
    """A table as an engine finds it where this many ask every address, each with its share."""

    def __init__(self, engines: int) -> None:
        self.engines = engines

    def at(self, address: str, connections: int) -> Alone:
        return self

    def enter(self, connections: int) -> bool:
        return True

    def leave(self) -> None:
        pass


def with_hosts(rig: Rig, engines: int) -> None:
    rig.frontier.gates.sharing = Alone(engines)
    rig.put(*(url(f"h{number}") for number in range(20)))


def test_a_second_engines_first_request_waits_for_those_of_the_first(
    make_rig: MakeRig, tables: list[Addresses]
) -> None:
    first, second = make_rig(connections_per_address=4), make_rig(connections_per_address=4)
    for rig, table in zip((first, second), tables, strict=False):
        rig.frontier.gates.sharing = table
        rig.put(*(url(f"h{number}") for number in range(20)))
    visits = first.all_visits_now()
    assert (len(visits), len(second.all_visits_now())) == (4, 0)
    assert second.frontier.seconds_to_next() == pytest.approx(STEP_S)
    first.end(visits.pop())
    assert not first.all_visits_now(), "its share is two by now"
    second.clock.advance(STEP_S * 1.001)
    assert len(second.all_visits_now()) == 1
    for visit in visits:
        first.end(visit)
    under_way = [0, 1]
    for _ in range(5):
        for number, rig in enumerate((first, second)):
            rig.clock.advance(STEP_S * 1.001)
            under_way[number] += len(rig.all_visits_now())
    assert under_way == [2, 2]


def test_a_request_that_an_engine_has_come_before_waits_for_the_longer_interval(
    make_rig: MakeRig, tables: list[Addresses]
) -> None:
    rig = make_rig(connections_per_address=4, address_interval_s=0.1)
    rig.frontier.gates.sharing = tables[0]
    rig.put(*(url(f"h{number}") for number in range(20)))
    (first,) = rig.all_visits_now()
    rig.end(first)
    other = tables[1].at(ADDRESS, 4)
    rig.clock.advance(0.1001)
    assert not rig.all_visits_now()
    assert [other.enter(4) for _ in range(3)] == [True, True, False], "what did not go is not under way"
    rig.clock.advance(0.1001)
    assert len(rig.all_visits_now()) == 1


def test_a_host_with_two_addresses_enters_and_leaves_both_for_all_engines(
    make_rig: MakeRig, tables: list[Addresses]
) -> None:
    rig, other = make_rig(connections_per_address=1), tables[1]
    rig.frontier.gates.sharing = tables[0]
    rig.addresses = {"a.example": (ADDRESS, "192.0.2.2")}
    rig.put(url("a"))
    visit = rig.visit()
    assert visit.addresses == (ADDRESS, "192.0.2.2")
    places = [other.at(address, 1) for address in visit.addresses]
    assert not any(place.enter(1) for place in places)
    rig.end(visit)
    assert all(place.enter(1) for place in places)


@pytest.mark.parametrize(("engines", "connections"), [(1, 4), (2, 2), (3, 1), (4, 1)])
def test_the_connections_to_an_address_are_divided(make_rig: MakeRig, engines: int, connections: int) -> None:
    rig = make_rig(connections_per_address=4)
    with_hosts(rig, engines)
    assert len(rig.all_visits_now()) == connections


def test_its_interval_is_as_many_times_as_long(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=100, address_interval_s=0.1)
    with_hosts(rig, 3)
    assert not rig.all_visits_now(), "another engine may have asked just now"
    rig.clock.advance(0.3001)
    (first,) = rig.all_visits_now()
    rig.end(first)
    rig.clock.advance(0.2)
    assert not rig.all_visits_now()
    rig.clock.advance(0.1001)
    assert len(rig.all_visits_now()) == 1
