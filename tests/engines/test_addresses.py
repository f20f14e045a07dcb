"""An address that several engines ask is asked by each with its share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random

import pytest

from tests.frontier.rig import Rig, url
from tests.frontier.test_gates import MakeRig
from weft.engines.addresses import Addresses
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
    assert first.engines_at("192.0.2.1", 4) == 1
    assert first.engines_at("192.0.2.1", 4) == 1
    assert second.engines_at("192.0.2.1", 4) == 2
    assert third.engines_at("192.0.2.2", 4) == 1
    assert third.engines_at("192.0.2.1", 4) == 3
    assert first.engines_at("192.0.2.1", 4) == 3


def test_an_engine_that_comes_later_waits_until_the_others_have_made_room(tables: list[Addresses]) -> None:
    first, second, _ = tables
    first.engines_at(ADDRESS, 4)
    assert [first.enter(ADDRESS) for _ in range(5)] == [True, True, True, True, False]
    second.engines_at(ADDRESS, 4)
    assert not second.enter(ADDRESS)
    first.leave(ADDRESS)
    assert not first.enter(ADDRESS), "it has more than its half already"
    assert second.enter(ADDRESS)


@pytest.mark.parametrize("seed", range(5))
def test_all_engines_together_never_have_more_requests_than_one_might(tables: list[Addresses], seed: int) -> None:
    random, under_way = Random(seed), [0] * ENGINES
    had_most = 0
    for _ in range(2_000):
        engine = random.randrange(ENGINES)
        if random.random() < 0.6:
            tables[engine].engines_at(ADDRESS, 4)
            under_way[engine] += tables[engine].enter(ADDRESS)
        elif under_way[engine]:
            tables[engine].leave(ADDRESS)
            under_way[engine] -= 1
        assert sum(under_way) <= 4
        had_most = max(had_most, sum(under_way))
    assert had_most >= ENGINES


class Alone:
    """A table as an engine finds it where this many ask every address, each with its share."""

    def __init__(self, engines: int) -> None:
        self.engines = engines

    def engines_at(self, address: str, connections: int) -> int:
        return self.engines

    def enter(self, address: str) -> bool:
        return True

    def leave(self, address: str) -> None:
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


def test_a_host_with_two_addresses_enters_and_leaves_both_for_all_engines(
    make_rig: MakeRig, tables: list[Addresses]
) -> None:
    rig, other = make_rig(connections_per_address=1), tables[1]
    rig.frontier.gates.sharing = tables[0]
    rig.addresses = {"a.example": (ADDRESS, "192.0.2.2")}
    rig.put(url("a"))
    visit = rig.visit()
    assert visit.addresses == (ADDRESS, "192.0.2.2")
    for address in visit.addresses:
        other.engines_at(address, 1)
        assert not other.enter(address)
    rig.end(visit)
    assert all(map(other.enter, visit.addresses))


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
