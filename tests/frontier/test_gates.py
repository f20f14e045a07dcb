"""One address may serve many hosts: it is not asked more often for that."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.frontier.rig import ADDRESS, Rig, url, urls
from weft.errors import HostParked
from weft.frontier import Clearance
from weft.frontier.gates import STEP_S
from weft.frontier.host import Host
from weft.types import Visit

MakeRig = Callable[..., Rig]


def fifty_hosts(rig: Rig, pages: int = 1) -> None:
    rig.put(*(one for number in range(50) for one in urls(f"h{number}", pages)))


def test_an_address_gets_no_more_connections_than_allowed_however_many_hosts_it_serves(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=4)
    fifty_hosts(rig)
    assert len(rig.all_visits_now()) == 4


def test_the_end_of_a_request_lets_the_host_in_that_has_waited_longest(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=2)
    rig.put(*(url(host) for host in "abcd"))
    first, second = rig.all_visits_now()
    assert (first.host, second.host) == ("a.example", "b.example")
    rig.end(second)
    assert [visit.host for visit in rig.all_visits_now()] == ["c.example"]
    rig.end(first)
    assert [visit.host for visit in rig.all_visits_now()] == ["d.example"]


def test_requests_to_an_address_start_no_closer_than_its_interval(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=100, address_interval_s=0.1)
    fifty_hosts(rig)
    started: list[float] = []
    while rig.frontier.has_work():
        for visit in rig.all_visits_now():
            started.append(rig.clock.monotonic())
            rig.end(visit)
        wait_s = rig.frontier.seconds_to_next()
        if wait_s is None:
            break
        rig.clock.advance(max(wait_s, 0.001))
    assert len(started) == 50
    assert min(later - earlier for earlier, later in pairwise(started)) >= 0.0999


def test_a_wide_host_may_use_all_its_connections_to_its_address(make_rig: MakeRig) -> None:
    rig = make_rig(connections=16, connections_per_address=4, delay_s=0)
    rig.put(*urls("a", 30))
    assert len(rig.all_visits_now()) == 16


def test_every_page_behind_a_gate_is_visited_once(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=3, address_interval_s=0.05)
    fifty_hosts(rig, pages=3)
    assert len(set(rig.drain())) == 150


def test_a_visit_that_needs_no_request_leaves_the_gate_open(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=1)
    rig.put(url("a"), url("b"))
    rig.frontier.cancel(rig.visit())
    visit = rig.frontier.next()
    while not isinstance(visit, Visit):
        visit = rig.next_visit()
    assert visit.host in ("a.example", "b.example")


def test_a_side_turn_takes_the_turn_of_its_host(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    visit = rig.visit()
    turn = rig.side_turn("a.example")
    rig.frontier.ask_for_turn(turn)
    assert rig.frontier.next() is None, "a request is under way"
    rig.end(visit)
    rig.clock.advance(0.9)
    assert rig.frontier.next() is None, "the delay runs"
    rig.clock.advance(0.1)
    assert rig.frontier.next() is turn, "it goes before the queue"
    rig.frontier.release(turn, answered=True)
    rig.clock.advance(0.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    assert rig.visit().host == "a.example"


def test_a_side_turn_to_a_host_without_queued_urls_is_given_and_leaves_no_row(rig: Rig) -> None:
    rig.ask_robots("other.example")
    assert not rig.frontier.has_work()
    rig.forget_idle_hosts()
    assert rig.host_rows() == []


def test_who_waits_for_the_turn_of_a_host_that_is_parked_is_told(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    visit = rig.visit()
    turn = rig.side_turn("a.example")
    rig.frontier.ask_for_turn(turn)
    rig.frontier.park("a.example", 7200, "connect-timeout")
    assert isinstance(turn.given.exception(), HostParked)
    rig.end(visit)
    with pytest.raises(HostParked):
        rig.frontier.ask_for_turn(rig.side_turn("a.example"))
    assert not rig.frontier.has_work()


def test_a_slow_answer_lengthens_the_rest_and_a_quick_one_does_not(make_rig: MakeRig) -> None:
    rig = make_rig(slow_factor=5.0)
    rig.put(*urls("a", 3))
    rig.frontier.release(rig.visit(), answered=True, waited_s=2.0)
    assert rig.frontier.seconds_to_next() == pytest.approx(10.0)
    rig.clock.advance(10)
    rig.frontier.release(rig.visit(), answered=True, waited_s=0.01)
    assert rig.frontier.seconds_to_next() == pytest.approx(1.0)


def test_no_answer_however_slow_lengthens_the_rest_beyond_half_a_minute(make_rig: MakeRig) -> None:
    rig = make_rig(slow_factor=5.0)
    rig.put(*urls("a", 3))
    rig.frontier.release(rig.visit(), answered=True, waited_s=600.0)
    assert rig.frontier.seconds_to_next() == pytest.approx(30.0)


def test_who_asks_for_no_delay_gets_none_for_slow_answers_either(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0.0, slow_factor=5.0)
    rig.put(*urls("a", 2))
    rig.frontier.release(rig.visit(), answered=True, waited_s=2.0)
    assert rig.next_visit() is not None


# ── a host at several addresses ────────────────────────────────────────────────────────────────────────

DEAD, SHARED = "198.51.100.1", "203.0.113.1"


def at_a_shared_address(rig: Rig, hosts: int = 40) -> None:
    """Hosts that have an address each where nobody answers, and all of them the same one besides."""
    rig.addresses = {f"h{number}.example": (f"198.51.100.{number}", SHARED) for number in range(hosts)}
    rig.put(*(url(f"h{number}") for number in range(hosts)))


def test_a_request_may_go_to_no_address_whose_gate_it_has_not_entered(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=4)
    at_a_shared_address(rig)
    visits = rig.all_visits_now()
    assert len(visits) == 40, "each goes on at its own address"
    assert sum(SHARED in visit.addresses for visit in visits) == 1
    for visit in visits:
        rig.frontier.release(visit, answered=False)
        assert rig.frontier.miss(visit) == (SHARED not in visit.addresses)
        rig.retry(visit, 0.0, is_repeat=True)
    seen = 0
    while visits:
        rig.clock.advance(1.0)
        visits = rig.all_visits_now()
        at_shared = [visit for visit in visits if SHARED in visit.addresses]
        assert len(at_shared) <= 4
        for visit in visits:
            rig.frontier.release(visit, answered=visit in at_shared, reached=SHARED if visit in at_shared else "")
            if visit in at_shared:
                rig.finish(visit)
                seen += 1
            else:
                rig.frontier.miss(visit)
                rig.retry(visit, 0.0, is_repeat=True)
    assert seen == 40
    assert not rig.frontier.has_work()


def test_a_host_does_not_wait_for_its_other_addresses(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=1)
    rig.addresses = {"a.example": (SHARED,), "b.example": (ADDRESS, SHARED)}
    rig.put(url("a"))
    first = rig.visit()
    rig.put(url("b"))
    assert rig.visit().addresses == (ADDRESS,)
    rig.end(first)


def test_who_waits_at_an_address_is_not_overtaken_by_who_has_another_one(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=1)
    rig.addresses = {"a.example": (SHARED,), "b.example": (SHARED,), "c.example": (ADDRESS, SHARED)}
    rig.put(url("a"), url("b"))
    first = rig.visit()
    assert rig.next_visit() is None
    rig.put(url("c"))
    assert rig.visit().addresses == (ADDRESS,)
    rig.end(first)
    assert rig.visit().host == "b.example"


@pytest.mark.parametrize("interval_s", [0.1, 0.0])
def test_who_has_one_address_is_let_in_although_others_have_it_as_their_second(
    make_rig: MakeRig, interval_s: float
) -> None:
    """Those come earlier in the crawl, and wait for gates that open at the same moments."""
    rig = make_rig(connections_per_address=1, address_interval_s=interval_s)
    rig.addresses = {f"h{number}.example": (ADDRESS, SHARED) for number in range(30)} | {"w.example": (SHARED,)}
    rig.put(*(url(f"h{number}") for number in range(30)))
    rig.put(url("w"), depth=5)
    visited: list[str] = []
    visits = rig.all_visits_now()
    while visits:
        rig.clock.advance(0.2)
        for visit in visits:
            visited.append(visit.host)
            rig.end(visit)
        visits = rig.all_visits_now()
    assert len(visited) == 31
    assert visited.index("w.example") <= 2


def test_all_gates_are_left_when_a_request_ends_or_is_not_made(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=1)
    rig.addresses = {"a.example": (DEAD, SHARED), "b.example": (SHARED, DEAD)}
    rig.put(url("a"), url("b"))
    visit = rig.visit()
    assert visit.addresses == (DEAD, SHARED)
    assert rig.next_visit() is None
    rig.frontier.cancel(visit)
    rig.finish(visit)
    visit = rig.visit()
    assert visit.addresses == (SHARED, DEAD)
    rig.end(visit)
    rig.put(url("a", 1))
    rig.clock.advance(1)
    assert rig.visit().addresses == (DEAD, SHARED)


def test_the_address_that_answered_comes_first_also_after_it_was_looked_up_again(make_rig: MakeRig) -> None:
    rig = make_rig()
    rig.addresses = {"a.example": (DEAD, SHARED)}
    rig.put(*urls("a", 3))
    visit = rig.visit()
    rig.frontier.release(visit, answered=True, reached=SHARED)
    rig.finish(visit)
    rig.clock.advance(1)
    visit = rig.visit()
    assert visit.addresses == (SHARED, DEAD)
    rig.end(visit)
    rig.frontier.clear("a.example", "http://a.example", Clearance((DEAD, SHARED), 1000.0))
    rig.clock.advance(1)
    assert rig.visit().addresses == (SHARED, DEAD)


def test_a_failure_to_connect_counts_once_all_addresses_were_tried() -> None:
    host = Host("a.example", delay_s=1.0)
    host.addresses = ("1", "2", "3")
    assert host.miss(("1",))
    assert host.addresses == ("2", "3", "1")
    assert host.miss(("1",)), "another request that had begun before"
    assert host.addresses == ("2", "3", "1")
    assert host.miss(("2", "1"))
    assert not host.miss(("3",))
    assert host.miss(host.addresses[:1]), "and from the beginning"
    host.reach("2")
    assert (host.addresses[0], host.misses) == ("2", 0)
    assert not host.miss(("1", "2", "3")), "all at once"


@pytest.mark.parametrize("rotating", [False, True])
def test_thousands_of_names_at_a_few_addresses_are_asked_at_all_of_them(make_rig: MakeRig, rotating: bool) -> None:
    rig = make_rig(connections_per_address=4, address_interval_s=0.1)
    few = [f"203.0.113.{number}" for number in range(4)]
    for number in range(100):
        at = number % 4 if rotating else 0
        rig.addresses[f"h{number}.example"] = (*few[at:], *few[:at])
    rig.put(*(url(f"h{number}") for number in range(100)))
    began = rig.clock.monotonic()
    assert len(set(rig.drain())) == 100
    assert rig.clock.monotonic() - began < (5.1 if rotating else 10.1), "of the fake clock: no slower than one address"


# ── an address that other machines ask, too ────────────────────────────────────────────────────────────

ONE_SITE = [f"http://h{number}.one.example/" for number in range(20)]
TWO_SITES = [f"http://h{number}.{site}.example/" for number in range(10) for site in ("one", "two")]


def starts(rig: Rig) -> list[float]:
    """When each request started, to the end of all work; each ends at once."""
    started: list[float] = []
    while rig.frontier.has_work():
        for visit in rig.all_visits_now():
            started.append(round(rig.clock.monotonic(), 3))
            rig.end(visit)
        if (wait_s := rig.frontier.seconds_to_next()) is None:
            break
        rig.clock.advance(max(wait_s, 0.001))
    return started


@pytest.mark.parametrize(
    ("share", "pages", "interval_s"),
    [(1.0, ONE_SITE, 0.1), (1.0, TWO_SITES, 0.1), (0.25, ONE_SITE, 0.1), (0.25, TWO_SITES, 0.4)],
    ids=["one site, alone", "two sites, alone", "one site, shared", "two sites, shared"],
)
def test_an_address_with_hosts_of_two_sites_is_asked_as_often_as_this_machines_share_allows(
    make_rig: MakeRig, share: float, pages: list[str], interval_s: float
) -> None:
    """Whoever has one site there has all of them, most likely: they would be of one bucket."""
    rig = make_rig(connections_per_address=100, address_interval_s=0.1)
    rig.frontier.gates.share(share)
    rig.put(*pages)
    started = starts(rig)
    assert len(started) == len(pages)
    gaps = [later - earlier for earlier, later in pairwise(started)]
    assert min(gaps) >= interval_s - 0.002
    assert sum(gaps) <= len(gaps) * (interval_s + 0.02), "nor seldomer than that"


@pytest.mark.parametrize(
    ("share", "pages", "connections"),
    [(1.0, TWO_SITES, 8), (0.25, ONE_SITE, 8), (0.25, TWO_SITES, 2), (0.01, TWO_SITES, 1)],
    ids=["alone", "one site", "two sites", "at least one"],
)
def test_of_the_connections_to_such_an_address_this_machine_has_its_share(
    make_rig: MakeRig, share: float, pages: list[str], connections: int
) -> None:
    rig = make_rig(connections_per_address=8)
    rig.frontier.gates.share(share)
    rig.put(*pages)
    visits = rig.all_visits_now()
    assert len(visits) == connections
    for ended in range(1, 8):
        rig.end(visits.pop())
        visits += rig.all_visits_now()
        assert len(visits) == min(connections, len(pages) - ended)
    for visit in visits:
        rig.end(visit)
    assert len(rig.drain()) == len(pages) - 7 - len(visits)


def test_who_waits_at_an_address_keeps_its_place_when_another_site_comes(make_rig: MakeRig) -> None:
    rig = make_rig(address_interval_s=0.1)
    rig.frontier.gates.share(0.25)
    rig.put("http://a.one.example/", "http://b.one.example/")
    visits = rig.all_visits_now()
    rig.put("http://c.two.example/", "http://d.two.example/")
    for _ in range(200):
        visits += rig.all_visits_now()
        rig.clock.advance(0.01)
    assert [visit.host[0] for visit in visits] == ["a", "b", "c", "d"]


def test_a_share_may_change_at_any_time(make_rig: MakeRig) -> None:
    rig = make_rig(connections_per_address=8)
    rig.put(*TWO_SITES)
    visits = rig.all_visits_now()
    assert len(visits) == 8
    rig.frontier.gates.share(0.25)
    while len(visits) > 2:
        rig.end(visits.pop())
    rig.end(visits.pop())
    visits += rig.all_visits_now()
    assert len(visits) == 2
    rig.frontier.gates.share(1.0)
    rig.end(visits.pop())
    for _ in range(10):
        visits += rig.all_visits_now()
        rig.clock.advance(STEP_S)
    assert len(visits) == 8
