"""Buckets of hosts: one frontier gives them up, another adopts them, and each URL is visited once, by either."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.frontier.rig import Rig, url, urls
from weft.errors import HostGivenUp
from weft.frontier import Preparation
from weft.state import Family
from weft.state.keys import bucket_range
from weft.url import bucket_of, host_of

MakeRig = Callable[..., Rig]
FAMILIES: tuple[Family, ...] = ("host", "queue")
A, B = bucket_of("a.example"), bucket_of("b.example")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path / "other")
    yield rig
    rig.state.close()


def move(bucket: bytes, one: Rig, other: Rig) -> None:
    """Take a bucket's rows from one database to another, by their ranges."""
    taken, put = one.state.batch(), other.state.batch()
    for family in FAMILIES:
        start, stop = bucket_range(bucket)
        for key, row in one.state.scan(family, start, stop):
            taken.delete(family, key)
            put.put(family, key, row)
    one.state.write(taken)
    other.state.write(put)


def test_of_a_bucket_that_was_given_up_nothing_is_handed_out_and_of_the_others_all(rig: Rig) -> None:
    rig.put(*urls("a", 5), *urls("b", 5))
    assert rig.frontier.residents.give_up(A)
    assert rig.wake_hosts() == ["b.example"]
    assert sorted(rig.drain()) == sorted(urls("b", 5))
    assert not rig.frontier.has_work()
    assert "a.example" in rig.host_rows()
    assert len(list(rig.state.scan("queue", *bucket_range(A)))) == 5


def test_a_bucket_is_not_given_up_before_its_visits_have_ended(rig: Rig) -> None:
    rig.put(*urls("a", 5))
    visit = rig.visit()
    assert not rig.frontier.residents.give_up(A)
    rig.clock.advance(100)
    assert rig.next_visit() is None
    rig.end(visit)
    assert rig.frontier.residents.give_up(A)
    assert len(rig.frontier.residents.hosts) == 0
    assert rig.wake_hosts() == []
    assert len(list(rig.state.scan("queue"))) == 4


def test_who_waits_for_a_turn_of_a_bucket_hears_that_it_is_given_up(rig: Rig) -> None:
    rig.put(*urls("a", 5))
    turn = rig.side_turn("a.example")
    rig.frontier.ask_for_turn(turn)
    rig.frontier.residents.give_up(A)
    assert isinstance(turn.given.exception(), HostGivenUp)
    assert rig.frontier.residents.give_up(A)


def test_a_bucket_that_sleeps_on_disk_is_given_up_too(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=2)
    names = [f"h{number}" for number in range(8)]
    rig.put(*(url(name) for name in names))
    given_up = {bucket_of(f"{name}.example") for name in names[4:]}
    assert all(rig.frontier.residents.give_up(bucket) for bucket in given_up)
    assert sorted(rig.drain()) == [url(name) for name in names[:4]]


def test_an_adopted_bucket_is_visited_to_its_end(rig: Rig, other: Rig) -> None:
    rig.put(*urls("a", 5), *urls("b", 3))
    other.put(*urls("c", 2))
    visited = [rig.visit(), rig.visit()]
    for visit in visited:
        rig.end(visit)
    before = [visit.link.url for visit in visited]
    assert rig.frontier.residents.give_up(A)
    move(A, rig, other)
    other.frontier.residents.adopt(A)
    here, there = [*before, *rig.drain()], other.drain()
    assert sorted(here + there) == sorted([*urls("a", 5), *urls("b", 3), *urls("c", 2)])
    assert {host_of(one) for one in there} == {"a.example", "c.example"}


def test_the_hosts_of_an_adopted_bucket_are_asked_no_earlier_than_if_they_had_just_been_asked(
    rig: Rig, other: Rig
) -> None:
    rig.put(*urls("a", 3))
    rig.end(rig.visit())
    assert rig.frontier.residents.give_up(A)
    move(A, rig, other)
    other.clock.advance(50)
    other.frontier.residents.adopt(A)
    assert other.next_visit() is None
    other.clock.advance(0.99)
    assert other.next_visit() is None
    other.clock.advance(0.02)
    assert other.next_visit() is not None


def test_a_bucket_that_was_given_up_can_be_adopted_again(rig: Rig) -> None:
    rig.put(*urls("a", 4), *urls("b", 1))
    rig.end(rig.visit())
    assert rig.frontier.residents.give_up(A)
    assert rig.frontier.residents.give_up(B)
    rig.frontier.residents.adopt(A)
    rig.frontier.residents.adopt(B)
    assert len(rig.drain()) == 4
    assert not rig.frontier.has_work()


def test_a_restart_in_between_finds_the_bucket_where_its_rows_are(rig: Rig) -> None:
    """Which buckets are whose is the cluster's to remember: a frontier takes what is in its index."""
    rig.put(*urls("a", 2), *urls("b", 2))
    assert rig.frontier.residents.give_up(A)
    rig.restart()
    assert sorted(rig.drain()) == sorted(urls("b", 2))
    rig.frontier.residents.adopt(A)
    assert sorted(rig.drain()) == sorted(urls("a", 2))


# ── several at once, and what others have learned ──────────────────────────────────────────────────────

WITHOUT_A, WITH_A = (b"\0\0", (int.from_bytes(A, "big") - 1).to_bytes(2, "big")), (A, b"\xff\xff")


def test_a_range_of_buckets_is_given_up_and_adopted_from_its_first_to_its_last(rig: Rig) -> None:
    names = [f"h{number}" for number in range(40)]
    rig.put(*map(url, names))
    middle = sorted(bucket_of(f"{name}.example") for name in names)[10:30]
    first, last = middle[0], middle[-1]
    given_up = {url(name) for name in names if first <= bucket_of(f"{name}.example") <= last}
    assert len(given_up) == 20
    assert rig.frontier.residents.give_up(first, last)
    assert set(rig.drain()) == {url(name) for name in names} - given_up
    assert not rig.frontier.has_work()
    rig.frontier.residents.adopt(first, middle[9])
    assert len(rig.drain()) == 10
    rig.frontier.residents.adopt(middle[10], last)
    assert len(rig.drain()) == 10
    rig.forget_idle_hosts()
    assert rig.host_rows() == rig.wake_hosts() == []


def test_a_range_is_not_given_up_before_all_visits_in_it_have_ended(rig: Rig) -> None:
    rig.put(*urls("a", 2), *urls("b", 2), *urls("c", 2))
    visits = {visit.host: visit for visit in rig.all_visits_now()}
    for host in ("c.example", "a.example", "b.example"):
        assert not rig.frontier.residents.give_up(b"\0\0", b"\xff\xff")
        rig.end(visits[host])
    assert rig.frontier.residents.give_up(b"\0\0", b"\xff\xff")
    assert len(rig.frontier.residents.hosts) == 0


def test_links_that_come_to_a_bucket_that_is_not_adopted_wait_until_it_is(rig: Rig) -> None:
    rig.frontier.residents.give_up(b"\0\0", b"\xff\xff")
    rig.put(*urls("a", 3), *urls("b", 1))
    assert not rig.frontier.has_work()
    assert rig.frontier.seconds_to_next() is None
    rig.frontier.residents.adopt(*WITHOUT_A)
    rig.frontier.residents.adopt(*WITH_A)
    assert len(rig.drain()) == 4


def test_each_bucket_of_a_range_is_taken_for_asked_when_the_range_was_adopted(rig: Rig) -> None:
    rig.frontier.residents.give_up(b"\0\0", b"\xff\xff")
    rig.put(url("a"), url("b"))
    rig.clock.advance(10)
    rig.frontier.residents.adopt(A)
    rig.clock.advance(0.5)
    rig.frontier.residents.adopt(B)
    assert rig.next_visit() is None
    rig.clock.advance(0.5)
    assert [visit.host for visit in rig.all_visits_now()] == ["a.example"]
    rig.clock.advance(0.5)
    assert [visit.host for visit in rig.all_visits_now()] == ["b.example"]


def test_a_host_that_others_let_rest_is_asked_after_that(rig: Rig) -> None:
    rig.frontier.residents.give_up(A)
    rig.frontier.residents.rest("a.example", 60.0)
    rig.frontier.residents.rest("a.example", 5.0)
    rig.put(url("a"))
    rig.frontier.residents.adopt(A)
    rig.clock.advance(59.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.2)
    assert rig.visit().host == "a.example"


def test_a_host_that_rests_and_has_nothing_queued_is_forgotten_after_its_rest(rig: Rig) -> None:
    rig.frontier.residents.give_up(A)
    rig.frontier.residents.rest("a.example", 60.0)
    rig.frontier.residents.adopt(A)
    assert rig.host_rows() == ["a.example"]
    assert rig.next_visit() is None
    rig.clock.advance(61)
    rig.forget_idle_hosts()
    assert rig.host_rows() == rig.wake_hosts() == []
    assert not rig.frontier.has_work()


def test_a_link_that_comes_while_a_host_without_any_rests_waits_for_its_end(rig: Rig) -> None:
    rig.frontier.residents.give_up(A)
    rig.frontier.residents.rest("a.example", 60.0)
    rig.frontier.residents.adopt(A)
    rig.clock.advance(30)
    rig.put(url("a"))
    rig.clock.advance(29)
    assert rig.next_visit() is None
    rig.clock.advance(1.1)
    assert rig.visit().host == "a.example"


def test_whoever_shares_the_crawl_hears_of_every_hold_and_park(make_rig: MakeRig) -> None:
    rig = make_rig(max_host_wait_s=600.0)
    heard: list[tuple[str, float]] = []
    rig.frontier.holds.on_rest = lambda host, seconds: heard.append((host, seconds))
    rig.put(*(url(host) for host in "abcd"))
    rig.all_visits_now()
    authority = "http://c.example"
    rig.frontier.hold("a.example", 60, "503")
    rig.frontier.hold("b.example", 7200, "503")  # so it is parked
    rig.frontier.hold("c.example", 40, "robots.txt", authority=authority)
    rig.frontier.hold("c.example", 3600, "robots.txt", authority=authority)
    rig.frontier.park("d.example", 900, "connect-timeout")
    assert heard == [
        ("a.example", 60), ("b.example", 7200), ("c.example", 40), ("c.example", 3600), ("d.example", 900)
    ]  # fmt: skip


def test_a_rest_that_follows_from_the_last_thing_under_way_is_kept_for_the_next_owner(rig: Rig) -> None:
    rig.put(*urls("a", 5))
    preparation = rig.frontier.next()
    assert isinstance(preparation, Preparation)
    assert not rig.frontier.residents.give_up(A)
    rig.frontier.fail_preparation("a.example", preparation.authority)  # by which the host leaves memory
    rig.frontier.hold("a.example", 20.0, "status 503", authority=preparation.authority)
    assert rig.frontier.residents.give_up(A)
    ((name, rest_s),) = rig.frontier.residents.resting(A, A)
    assert name == "a.example"
    assert rest_s == pytest.approx(20.0)
    rig.clock.advance(20)
    assert rig.frontier.residents.resting(A, A) == []
