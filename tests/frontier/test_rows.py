"""What lies on disk: keys in the order of visiting, and one wake row for each host that has something queued."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.frontier.rig import Rig, url, urls
from weft.frontier.lane import MAX_LANES
from weft.state.keys import (
    host_of_queue_key,
    host_of_wake_key,
    lane_of_queue_key,
    lane_prefix,
    queue_end,
    queue_key,
    rank_of,
    wake_key,
)
from weft.types import Link

MakeRig = Callable[..., Rig]

places = st.tuples(st.integers(0, 0xFFFF), st.integers(0, 2**64 - 1))
hosts = st.from_regex(r"[a-z0-9-]{1,8}(\.[a-z]{2,4}){0,2}", fullmatch=True)


# ── keys ───────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=200, deadline=None, derandomize=True)
@given(places, places)
def test_keys_of_a_host_sort_by_rank_then_by_the_order_found(one: tuple[int, int], other: tuple[int, int]) -> None:
    prefix = lane_prefix("a.example", 3)
    assert (queue_key(prefix, *one) < queue_key(prefix, *other)) == (one < other)
    assert rank_of(queue_key(prefix, *one)) == one[0]
    assert prefix < queue_key(prefix, *one) < queue_end(prefix)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hosts, hosts, places)
def test_the_keys_of_one_host_are_no_keys_of_another(one: str, other: str, place: tuple[int, int]) -> None:
    key = queue_key(lane_prefix(one, 1), *place)
    for lane in range(MAX_LANES):
        prefix = lane_prefix(other, lane)
        assert (prefix <= key < queue_end(prefix)) == ((one, 1) == (other, lane))
    assert (host_of_queue_key(key), lane_of_queue_key(key)) == (one, 1)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.floats(0, 4e9), st.floats(0, 4e9), hosts, hosts)
def test_wake_keys_sort_by_time_and_name_their_host(one_s: float, other_s: float, one: str, other: str) -> None:
    assert host_of_wake_key(wake_key(one_s, one)) == one
    if other_s - one_s > 0.002:
        assert wake_key(one_s, one) < wake_key(other_s, other)


# ── wake rows ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_host_with_something_queued_has_exactly_one_wake_row(rig: Rig) -> None:
    rig.put(*urls("a", 3), url("b"))
    rig.put(url("a", "more"), url("c"))
    assert sorted(rig.wake_hosts()) == ["a.example", "b.example", "c.example"]
    assert rig.host_rows() == ["a.example", "b.example", "c.example"]


def test_holding_or_parking_a_host_moves_its_wake_row(rig: Rig) -> None:
    rig.put(url("a"), url("b"))
    for seconds in (60, 600):
        rig.frontier.hold("a.example", seconds, "")
        with rig.commit():
            pass
        assert rig.wake_hosts() == ["b.example", "a.example"]
    rig.frontier.park("a.example", 7200, "")
    with rig.commit():
        pass
    assert rig.wake_hosts() == ["b.example", "a.example"]


def test_no_row_is_left_of_a_host_that_is_done(rig: Rig) -> None:
    rig.put(*urls("a", 3), url("b"))
    rig.frontier.hold("b.example", 60, "")
    rig.drain()
    rig.forget_idle_hosts()
    assert (rig.wake_hosts(), rig.host_rows(), rig.queued_hosts()) == ([], [], set())


def test_a_host_found_again_after_it_was_forgotten_has_its_row_again(rig: Rig) -> None:
    rig.put(url("a", 0))
    rig.drain()
    rig.clock.advance(10)
    assert rig.frontier.next() is None  # forgotten, but its row is still to be removed
    rig.put(url("a", 1))
    assert rig.wake_hosts() == ["a.example"]
    rig.restart()
    assert rig.drain() == [url("a", 1)]


def test_a_host_found_again_in_the_commit_that_removes_its_row_keeps_it(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0)
    rig.put(url("a", 0), url("b", 0))
    visits = rig.all_visits_now()
    rig.end(visits[0])
    with rig.commit() as batch:
        rig.frontier.finish(batch, visits[1])
        rig.frontier.put(batch, visits[0].host, Link(url("a", 1), 1))
    assert rig.wake_hosts().count(visits[0].host) == 1
    rig.frontier.release(visits[1], answered=True)
    rig.restart()
    assert rig.drain() == [url("a", 1)]


def test_a_finished_crawl_that_is_opened_again_has_nothing_to_do_but_to_tidy_up(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.drain()
    rig.restart()
    assert rig.drain() == []
    rig.forget_idle_hosts()
    assert (rig.wake_hosts(), rig.host_rows()) == ([], [])


# ── hosts that find no place in memory ─────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("hosts_in_memory", [1, 2, 4, 49])
def test_hosts_beyond_the_bound_sleep_on_disk_and_all_get_their_turn(make_rig: MakeRig, hosts_in_memory: int) -> None:
    rig = make_rig(hosts_in_memory=hosts_in_memory)
    everything = [url(f"h{host}", page) for host in range(50) for page in range(3)]
    for start in range(0, 150, 30):
        rig.put(*everything[start : start + 30])
        assert len(rig.frontier.residents.hosts) <= hosts_in_memory
    assert sorted(rig.drain()) == sorted(everything)
    rig.forget_idle_hosts()
    assert (rig.wake_hosts(), rig.host_rows(), rig.queued_hosts()) == ([], [], set())


def test_sleeping_hosts_get_their_turn_after_a_restart(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=4)
    everything = {url(f"h{host}", page) for host in range(50) for page in range(2)}
    rig.put(*everything)
    for _ in range(3):
        for visit in rig.all_visits_now():
            everything.remove(visit.link.url)
            rig.end(visit)
        rig.restart()
        assert len(rig.frontier.residents.hosts) <= 4
        rig.clock.advance(1)
    assert sorted(rig.drain()) == sorted(everything)


def test_links_for_a_sleeping_host_are_visited_with_its_others(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=2)
    rig.put(*(url(f"h{host}") for host in range(10)))
    rig.put(url("h9", "more"), url("h0", "more"))
    assert len(rig.drain()) == 12


def test_a_link_for_a_sleeping_host_does_not_shorten_its_rest(rig: Rig) -> None:
    rig.put(url("a", 0))
    rig.frontier.hold("a.example", 600.0, "status 429")
    with rig.commit():
        pass
    rig.restart()
    rig.put(url("a", 1))
    rig.restart()
    rig.clock.advance(599)
    assert rig.next_visit() is None
    rig.clock.advance(1)
    assert rig.drain() == urls("a", 2)


def test_hosts_that_rest_long_make_room_for_those_that_are_ready(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=4)
    rig.put(*(url(f"h{host}", page) for host in range(12) for page in range(2)))
    resting = rig.all_visits_now()
    assert len(resting) == 4
    for visit in resting:
        rig.end(visit)
        rig.frontier.hold(visit.host, 3000.0, "status 429")
    visited = []
    for _ in range(60):
        rig.clock.advance(1)
        for visit in rig.all_visits_now():
            visited.append(visit.link.url)
            rig.end(visit)
    assert len(visited) == 16, "two pages of each of the eight others"
