"""Delays and connections that settings give to some hosts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from weft.config import HostTable
from weft.frontier import Clearance
from weft.settings.by_host import ByHost

from .rig import ADDRESS, Rig, urls

MakeRig = Callable[..., Rig]


def table(pattern: str, delay_s: float | None = None, connections: int | None = None) -> HostTable:
    return HostTable(pattern=pattern, delay_s=delay_s, connections_per_host=connections)


def waits(rig: Rig, host: str) -> float:
    """How long until the next page of a host, of which one has just ended."""
    rig.put(*urls(host, 2))
    rig.end(rig.visit())
    assert rig.next_visit() is None
    seconds = rig.frontier.seconds_to_next()
    assert seconds is not None
    return seconds


@pytest.mark.parametrize("restarts", [False, True])
def test_a_host_has_the_delay_of_its_table_also_after_a_restart(make_rig: MakeRig, restarts: bool) -> None:
    rig = make_rig(hosts=ByHost([table("*.example", 3.0), table("a.example", 7.0)]))
    if restarts:
        rig.restart()
    assert waits(rig, "a") == pytest.approx(7.0)
    rig.clock.advance(7.0)
    rig.end(rig.visit())
    assert waits(rig, "b") == pytest.approx(3.0)


def test_a_delay_of_a_table_is_never_shorter_than_robots_txt_asks_for(make_rig: MakeRig) -> None:
    rig = make_rig(hosts=ByHost([table("a.example", 0.0)]))
    rig.put(*urls("a", 2))
    turn = rig.preparation()
    rig.frontier.clear(turn.host, turn.authority, Clearance((ADDRESS,), holds_s=1000.0, delay_s=10.0))
    rig.end(rig.visit())
    rig.clock.advance(9.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    assert rig.next_visit() is not None


def test_a_delay_that_is_set_by_hand_goes_before_that_of_a_table_until_it_is_taken_back(make_rig: MakeRig) -> None:
    rig = make_rig(hosts=ByHost([table("a.example", 7.0)]))
    rig.frontier.residents.set_delay("a.example", 2.0)
    assert waits(rig, "a") == pytest.approx(2.0)
    rig.frontier.residents.set_delay("a.example", None)
    seconds = rig.frontier.seconds_to_next()
    assert seconds == pytest.approx(7.0)


def test_a_host_has_as_many_requests_under_way_as_its_table_says(make_rig: MakeRig) -> None:
    hosts = ByHost([table("a.example", 0.0, 3), table("b.example", 0.0)])
    rig = make_rig(hosts=hosts, connections_per_address=1)
    rig.put(*urls("a", 5))
    first = rig.visit()  # with it the address is known to bear three
    assert [rig.next_visit() is not None for _ in range(3)] == [True, True, False]
    rig.end(first)
    assert rig.next_visit() is not None


def test_an_address_bears_what_its_most_patient_host_may_have_and_others_stay_as_they_are(make_rig: MakeRig) -> None:
    rig = make_rig(hosts=ByHost([table("a.example", 0.0, 2)]), connections_per_address=1, delay_s=0.0)
    rig.put(*urls("b", 3))
    assert [rig.visit() is not None, rig.next_visit() is not None] == [True, False]


def test_a_host_without_delay_is_not_kept_back_by_its_address(make_rig: MakeRig) -> None:
    rig = make_rig(hosts=ByHost([table("a.example", 0.0)]), address_interval_s=0.5)
    rig.put(*urls("a", 3))
    rig.end(rig.visit())
    assert rig.next_visit() is not None
