"""An address that several engines ask is asked by each with its share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.frontier.rig import Rig, url
from tests.frontier.test_gates import MakeRig
from weft.engines.addresses import Addresses

ENGINES = 3


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
    assert first.engines_at("192.0.2.1") == 1
    assert first.engines_at("192.0.2.1") == 1
    assert second.engines_at("192.0.2.1") == 2
    assert third.engines_at("192.0.2.2") == 1
    assert third.engines_at("192.0.2.1") == 3
    assert first.engines_at("192.0.2.1") == 3


def with_hosts(rig: Rig, engines: int) -> None:
    rig.frontier.gates.engines_at = lambda address: engines
    rig.put(*(url(f"h{number}") for number in range(20)))


@pytest.mark.parametrize(("engines", "connections"), [(1, 4), (2, 2), (3, 1), (4, 1)])
def test_the_connections_to_an_address_are_divided(make_rig: MakeRig, engines: int, connections: int) -> None:
    rig = make_rig(connections_per_address=4)
    with_hosts(rig, engines)
    assert len(rig.all_visits_now()) == connections


def test_its_interval_is_as_many_times_as_long(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=100, address_interval_s=0.1)
    with_hosts(rig, 3)
    (first,) = rig.all_visits_now()
    rig.end(first)
    rig.clock.advance(0.2)
    assert not rig.all_visits_now()
    rig.clock.advance(0.1001)
    assert len(rig.all_visits_now()) == 1
