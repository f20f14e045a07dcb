"""More hosts than find room in memory: what is known of them stays known, and each has its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.frontier.rig import PREPARED, Rig, url, urls
from weft.frontier import Preparation
from weft.frontier.parked import NAMED
from weft.frontier.residents import STINT_S
from weft.frontier.sleepers import ROWS_AT_ONCE
from weft.types import Visit

MakeRig = Callable[..., Rig]
HOST = "a.example"
AUTHORITY = "http://a.example"


@pytest.mark.parametrize("authority", ["", AUTHORITY])
def test_the_failures_of_a_host_that_made_room_are_still_counted(make_rig: MakeRig, authority: str) -> None:
    rig = make_rig(hosts_in_memory=2, delay_s=0)
    rig.put(url("a"), url("x", 0), url("y", 0), *(url(f"h{host}") for host in range(10)))
    counted = []
    for _ in range(20_000):
        turn = rig.frontier.next()
        if isinstance(turn, Preparation) and turn.host == HOST:
            counted.append(rig.frontier.count_failure(HOST, authority))
            rig.frontier.fail_preparation(HOST, AUTHORITY)
            if counted[-1] == 4:
                break
            rig.frontier.hold(HOST, 45.0, "dns-failed", authority=authority)
            assert len(rig.frontier.residents.hosts) < 2, "it made room"
        elif isinstance(turn, Preparation):
            rig.fail_preparation(turn.authority, 5.0, "busy")  # so that hosts always wait for room
        else:
            assert turn is None
            rig.clock.advance(1)
    assert counted == [1, 2, 3, 4]


def test_a_restart_forgives_failures_but_not_what_is_owed(rig: Rig) -> None:
    rig.put(url("a"))
    rig.preparation()
    assert rig.frontier.count_failure(HOST, AUTHORITY) == 1
    rig.fail_preparation(AUTHORITY, 60.0, "connect-refused")
    with rig.commit():
        pass
    rig.restart()
    assert rig.frontier.next() is None
    rig.clock.advance(60)
    rig.preparation()
    assert rig.frontier.count_failure(HOST, AUTHORITY) == 1


def test_a_large_host_leaves_its_place_to_others_and_comes_back(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=3)
    for host in range(3):
        rig.put(*urls(f"large{host}", 400))
    rig.put(*(url(f"small{host}") for host in range(12)))
    visited: dict[str, float] = {}
    begin, total = rig.clock.now, 0
    while rig.frontier.has_work():
        while (visit := rig.next_visit()) is not None:
            visited[visit.link.url] = rig.clock.now - begin
            total += 1
            rig.end(visit)
            assert len(rig.frontier.residents.hosts) <= 3
        rig.clock.advance(0.5)
    assert total == 1212
    assert len(visited) == 1212
    assert max(at for page, at in visited.items() if "small" in page) < 3 * STINT_S


def test_a_host_that_is_always_under_way_leaves_its_place_too(make_rig: MakeRig) -> None:
    """With two connections and no delay something of it never ends; it is given nothing more until all of it has."""
    rig = make_rig(hosts_in_memory=1, connections=2, delay_s=0)
    rig.put(*urls("a", 2000))
    rig.put(url("b"))
    under_way = rig.all_visits_now()
    for _ in range(500):
        rig.clock.advance(1)
        rig.end(under_way.pop(0))
        under_way += rig.all_visits_now()
        if any(visit.host == "b.example" for visit in under_way):
            break
    else:
        raise AssertionError("the other host never had its turn")


def test_a_host_that_made_room_keeps_its_delay(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=1, delay_s=20.0)
    rig.put(*urls("a", 50))
    rig.put(*urls("b", 50))
    asked: dict[str, float] = {}
    for _ in range(4000):
        rig.clock.advance(0.5)
        if (visit := rig.next_visit()) is not None:
            assert rig.clock.now - asked.get(visit.host, 0.0) >= 20.0
            asked[visit.host] = rig.clock.now
            rig.end(visit)
    assert len(asked) == 2


def test_who_is_left_is_counted_and_the_first_of_them_named(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=50, delay_s=0)
    count = NAMED + 200
    rig.put(*(url(f"h{host}") for host in range(count)))
    while rig.frontier.has_work():
        turn = rig.frontier.next()
        if isinstance(turn, Preparation):
            rig.frontier.fail_preparation(turn.host, turn.authority)
            rig.frontier.park(turn.host, 0.0, "connect-refused", authority=turn.authority)
        else:
            rig.clock.advance(1)
    with rig.commit():
        pass
    assert rig.frontier.parked.count == count
    assert len(rig.frontier.parked.reasons) == NAMED
    rig.restart()
    assert len(rig.drain()) == count, "another run tries them all"


def test_hosts_that_are_left_for_days_are_counted_by_the_next_run(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=50, delay_s=0)
    rig.put(*(url(f"h{host}") for host in range(2000)))
    while rig.frontier.has_work():
        turn = rig.frontier.next()
        if isinstance(turn, Preparation):
            rig.fail_preparation(turn.authority, 86_400.0, "robots.txt is unreachable (503)")
        else:
            rig.clock.advance(1)
    with rig.commit():
        pass
    rig.restart()
    rig.put(url("new"))
    assert rig.drain() == [url("new")]
    assert rig.frontier.parked.count == 2000
    rig.clock.advance(86_400)
    rig.restart()
    assert len(rig.drain()) == 2000


def test_no_turn_reads_more_than_some_hundred_rows(make_rig: MakeRig) -> None:
    """However many hosts sleep on disk, or were left: a look at all of them would stop the loop for seconds."""
    rig = make_rig(hosts_in_memory=100, delay_s=0)
    rig.put(*(url(f"left{host}") for host in range(3000)))
    while rig.frontier.has_work():
        turn = rig.frontier.next()
        if isinstance(turn, Preparation):
            rig.fail_preparation(turn.authority, 86_400.0, "robots.txt is unreachable (503)")
        else:
            rig.clock.advance(1)
    rig.put(*(url(f"h{host}") for host in range(3000)))
    rig.restart()
    scan, read = rig.state.scan, 0

    def counting(*args: object) -> Iterator[tuple[bytes, bytes]]:
        nonlocal read
        for row in scan(*args):  # type: ignore[arg-type]
            read += 1
            yield row

    rig.state.scan = counting  # type: ignore[method-assign, assignment]
    visited, most = 0, 0
    while rig.frontier.has_work():
        turn = rig.frontier.next()
        most, read = max(most, read), 0
        if isinstance(turn, Preparation):
            rig.frontier.clear(turn.host, turn.authority, PREPARED)
        elif isinstance(turn, Visit):
            visited += 1
            rig.end(turn)
        else:
            rig.clock.advance(rig.frontier.seconds_to_next() or 0.0)
    assert visited == 3000
    assert 0 < most <= 4 * ROWS_AT_ONCE


def test_a_host_found_while_others_wait_for_room_waits_behind_them(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=2, delay_s=0)
    rig.put(*(url(f"h{host:02}") for host in range(10)))
    order = []
    while rig.frontier.has_work():
        if (visit := rig.next_visit()) is not None:
            order.append(visit.host)
            rig.end(visit)
            if len(order) == 3:
                rig.put(url("late"))
        else:
            rig.clock.advance(rig.frontier.seconds_to_next() or 0.0)
    assert order[-1] == "late.example"


def left_with_one_authority(rig: Rig, hosts: int) -> None:
    """Each host has a page to visit, and an authority that is left for another run."""
    for host in range(hosts):
        rig.put(url(f"h{host}"), f"http://h{host}.example:8001/x")
    for _ in range(10_000):
        turn = rig.frontier.next()
        if isinstance(turn, Preparation) and turn.authority.endswith(":8001"):
            rig.frontier.fail_preparation(turn.host, turn.authority)
            rig.frontier.park(turn.host, 100_000.0, "connect-refused", authority=turn.authority)
        elif isinstance(turn, Preparation):
            rig.frontier.clear(turn.host, turn.authority, PREPARED)
        elif isinstance(turn, Visit):
            rig.end(turn)
        elif rig.frontier.has_work():
            rig.clock.advance(rig.frontier.seconds_to_next() or 0.001)
        else:
            return
    raise AssertionError("the crawl does not end")


def test_a_crawl_ends_although_more_hosts_than_find_room_are_left_but_for_authorities_that_are_done(
    make_rig: MakeRig,
) -> None:
    rig = make_rig(hosts_in_memory=1, delay_s=0)
    left_with_one_authority(rig, 4)
    assert rig.frontier.parked.count == 4


def test_new_links_of_an_authority_that_was_done_are_visited_although_another_one_is_left(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=1, delay_s=0)
    left_with_one_authority(rig, 4)
    rig.put(url("h2", 7))
    assert rig.drain() == [url("h2", 7)]
    rig.put(url("h1", 8))
    rig.restart()  # with what was put, which nobody has seen in memory
    rig.clock.advance(10)
    assert rig.drain() == [url("h1", 8)]


def crowded_rig(make_rig: MakeRig) -> Rig:
    """One host finds room in memory, and others want its place."""
    rig = make_rig(hosts_in_memory=1, delay_s=0, max_host_wait_s=10_000.0)
    rig.put(*urls("a", 3))
    rig.put(url("b"))
    return rig


def asked_again_after_s(rig: Rig) -> float:
    """How long until the host has its turn again, in this run or another one."""
    began, runs = rig.clock.now, 1
    for _ in range(10_000):
        turn = rig.frontier.next()
        if turn is not None and turn.host == HOST:
            return rig.clock.now - began
        if isinstance(turn, Preparation):
            rig.frontier.clear(turn.host, turn.authority, PREPARED)
        elif isinstance(turn, Visit):
            rig.end(turn)
        elif rig.frontier.has_work():
            rig.clock.advance(rig.frontier.seconds_to_next() or 0.001)
        else:
            assert runs < 100, "it has no turn again"
            runs += 1
            rig.clock.advance(1000)
            rig.restart()
    raise AssertionError("it has no turn again")


def test_of_two_rests_that_follow_one_answer_both_are_kept_although_the_host_makes_room_with_the_first(
    make_rig: MakeRig,
) -> None:
    """As a robots.txt that answers 503 has it: its host rests for a while, its authority for longer."""
    rig = crowded_rig(make_rig)
    rig.preparation()
    rig.frontier.fail_preparation(HOST, AUTHORITY)
    rig.frontier.hold(HOST, 60.0, "503")
    assert HOST not in rig.frontier.residents.hosts, "it made room"
    assert rig.frontier.count_failure(HOST, AUTHORITY) == 1
    rig.frontier.hold(HOST, 3600.0, "503", authority=AUTHORITY)
    assert asked_again_after_s(rig) >= 3600
    assert rig.frontier.count_failure(HOST, AUTHORITY) == 2


@pytest.mark.parametrize("authority", ["", AUTHORITY])
@pytest.mark.parametrize("seconds", [20.0, 600.0, 20_000.0])
def test_a_rest_is_kept_that_is_asked_for_when_the_host_has_just_made_room(
    make_rig: MakeRig, seconds: float, authority: str
) -> None:
    rig = crowded_rig(make_rig)
    visit = rig.visit()
    rig.clock.advance(2 * STINT_S)
    assert rig.frontier.next() is None
    rig.frontier.release(visit, answered=True)
    rig.retry(visit, 1.0)
    assert HOST not in rig.frontier.residents.hosts, "it made room"
    rig.frontier.hold(HOST, seconds, "429", authority=authority)
    assert asked_again_after_s(rig) >= seconds


def test_an_authority_is_left_although_its_host_has_just_made_room(make_rig: MakeRig) -> None:
    rig = crowded_rig(make_rig)
    visit = rig.visit()
    rig.clock.advance(2 * STINT_S)
    assert rig.frontier.next() is None
    rig.frontier.release(visit, answered=False)
    rig.retry(visit, 1.0)
    assert HOST not in rig.frontier.residents.hosts, "it made room"
    rig.frontier.park(HOST, 0.0, "connect-refused", authority=AUTHORITY)
    assert rig.drain() == [url("b")]
    assert rig.frontier.parked.reasons == {AUTHORITY: "connect-refused"}
    rig.restart()
    rig.clock.advance(1)
    assert len(rig.drain()) == 3


def test_a_rest_of_a_host_whose_last_page_is_done_holds_for_links_that_come_later(rig: Rig) -> None:
    rig.put(url("a"))
    rig.end(rig.visit())
    rig.forget_idle_hosts()
    assert rig.host_rows() == []
    rig.frontier.hold(HOST, 60.0, "a page of it hangs a worker")
    rig.put(url("a", 1))
    assert asked_again_after_s(rig) >= 60
