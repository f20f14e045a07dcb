"""What fails is an authority (scheme://host:port): the rest of its host goes on meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.frontier.rig import ADDRESS, PREPARED, Rig, url, urls
from weft.frontier import Clearance, Preparation
from weft.frontier.lane import MAX_LANES
from weft.types import Visit

MakeRig = Callable[..., Rig]
HOST = "a.example"
GOOD, DEAD = "http://a.example", "http://a.example:8080"


def crawl_with_a_dead_authority(rig: Rig, *, is_dead: Callable[[str], bool], tries: int) -> tuple[list[str], list[str]]:
    """Crawl to the end. Gives the URLs visited and the authorities whose preparation was tried, in their order."""
    visited: list[str] = []
    tried: list[str] = []
    for _ in range(100_000):
        turn = rig.frontier.next()
        if isinstance(turn, Preparation):
            tried.append(turn.authority)
            if not is_dead(turn.authority):
                rig.frontier.clear(turn.host, turn.authority, PREPARED)
                continue
            rig.frontier.fail_preparation(turn.host, turn.authority)
            if rig.frontier.count_failure(turn.host, turn.authority) >= tries:
                rig.frontier.park(turn.host, 0.0, "connect-refused", authority=turn.authority)
            else:
                rig.frontier.hold(turn.host, 5.0, "connect-refused", authority=turn.authority)
        elif isinstance(turn, Visit):
            visited.append(turn.link.url)
            rig.end(turn)
        elif rig.frontier.has_work():
            wait_s = rig.frontier.seconds_to_next()
            assert wait_s is not None
            rig.clock.advance(wait_s)
        else:
            with rig.commit():
                pass
            return visited, tried
    raise AssertionError("the crawl does not end")


@pytest.mark.parametrize("dead_depth", [0, 1, 2])
def test_an_authority_that_cannot_be_prepared_is_left_and_the_rest_of_its_host_completed(
    rig: Rig, dead_depth: int
) -> None:
    rig.put(*(f"{DEAD}/{number}" for number in range(30)), depth=dead_depth)
    rig.put(*urls("a", 40), depth=1)
    visited, tried = crawl_with_a_dead_authority(rig, is_dead=lambda authority: authority == DEAD, tries=3)
    assert visited == urls("a", 40)
    assert tried.count(DEAD) == 3
    assert rig.frontier.parked.reasons == {DEAD: "connect-refused"}
    rig.restart()
    visited, tried = crawl_with_a_dead_authority(rig, is_dead=lambda authority: authority == DEAD, tries=3)
    assert (visited, tried.count(DEAD)) == ([], 3), "another run tries as often"
    rig.restart()
    assert rig.drain() == [f"{DEAD}/{number}" for number in range(30)]


def test_a_host_goes_on_while_one_of_its_authorities_rests(rig: Rig) -> None:
    rig.put(f"{DEAD}/0", *urls("a", 3))
    assert rig.preparation() == Preparation(HOST, DEAD)
    rig.fail_preparation(DEAD, 60.0, "connect-refused")
    begin = rig.clock.now
    for number in range(3):
        rig.end(visit := rig.visit())
        assert visit.link.url == url("a", number)
        rig.clock.advance(1)
    assert rig.clock.now == begin + 3
    assert rig.frontier.next() is None
    rig.clock.advance(57)
    assert rig.preparation().authority == DEAD


def test_a_host_goes_on_while_the_robots_txt_of_one_of_its_authorities_is_asked_for(rig: Rig) -> None:
    rig.put(f"{DEAD}/0", *urls("a", 2))
    assert rig.preparation() == Preparation(HOST, DEAD)
    assert rig.visit().link.url == url("a", 0)


def test_a_visit_that_cannot_connect_holds_its_authority_only(rig: Rig) -> None:
    rig.put(f"{DEAD}/0", f"{DEAD}/1", *urls("a", 2))
    failing = rig.visit()
    rig.frontier.release(failing, answered=False)
    rig.frontier.hold(HOST, 300.0, "connect-refused", authority=DEAD)
    rig.retry(failing, 300.0)
    assert rig.next_visit() is None, "the host's delay"
    for number in range(2):
        rig.clock.advance(1)
        rig.end(visit := rig.visit())
        assert visit.link.url == url("a", number)


def test_the_host_as_a_whole_rests_where_its_server_asks_for_it(rig: Rig) -> None:
    rig.put(f"{DEAD}/0", *urls("a", 2))
    rig.end(rig.visit())
    rig.frontier.hold(HOST, 60.0, "status 429")
    rig.clock.advance(59)
    assert rig.next_visit() is None
    rig.clock.advance(1)
    assert rig.next_visit() is not None


def test_authorities_of_a_host_share_its_delay_and_its_connections(rig: Rig) -> None:
    rig.put(*(f"http://a.example:{port}/" for port in range(8000, 8010)))
    for _ in range(10):
        visit = rig.visit()
        rig.clock.advance(30)
        assert rig.next_visit() is None, "one connection"
        rig.end(visit)
        assert rig.next_visit() is None, "the delay"
        rig.clock.advance(1)


def test_pages_of_all_authorities_come_in_the_order_of_their_host(rig: Rig) -> None:
    found = [f"{('http', 'https')[number % 3 == 0]}://a.example/{number}" for number in range(40)]
    for start in range(0, 40, 10):
        rig.put(*found[start : start + 10], depth=9 - start // 10)
    assert rig.drain() == [*found[30:], *found[20:30], *found[10:20], *found[:10]]


def test_an_authority_that_returns_is_crawled_to_its_end(rig: Rig) -> None:
    rig.put(*(f"{DEAD}/{number}" for number in range(3)), *urls("a", 3))
    died = rig.visit()
    rig.frontier.release(died, answered=False)
    assert rig.frontier.count_failure(HOST, DEAD) == 1
    rig.frontier.hold(HOST, 5.0, "connect-refused", authority=DEAD)
    rig.retry(died, 5.0)
    assert sorted(rig.drain()) == sorted([f"{DEAD}/{number}" for number in range(3)] + urls("a", 3))
    assert not rig.frontier.parked.count


def test_an_answer_of_one_authority_does_not_forgive_another_one_its_failures(rig: Rig) -> None:
    rig.put(f"{DEAD}/0", *urls("a", 3))
    rig.preparation()
    assert rig.frontier.count_failure(HOST, DEAD) == 1
    rig.fail_preparation(DEAD, 5.0, "connect-refused")
    rig.end(rig.visit())
    assert rig.frontier.count_failure(HOST, DEAD) == 2


@pytest.mark.parametrize("is_restarted", [False, True])
def test_the_rest_of_an_authority_outlives_a_restart_and_holds_nobody_else(rig: Rig, is_restarted: bool) -> None:
    rig.put(f"{DEAD}/0", *urls("a", 2))
    rig.preparation()
    rig.fail_preparation(DEAD, 60.0, "robots.txt is unreachable (500)")
    with rig.commit():
        pass
    if is_restarted:
        rig.restart()
        rig.clock.advance(1)
    assert rig.visit().link.url == url("a", 0)
    rig.clock.advance(58)
    turn = rig.frontier.next()
    assert turn is None or not isinstance(turn, Preparation)


def test_new_links_of_a_parked_authority_wait_with_it_and_those_of_others_do_not(rig: Rig) -> None:
    rig.put(f"{DEAD}/0")
    rig.preparation()
    rig.frontier.fail_preparation(HOST, DEAD)
    rig.frontier.park(HOST, 0.0, "connect-refused", authority=DEAD)
    assert not rig.frontier.has_work()
    rig.clock.advance(10)
    assert rig.frontier.next() is None
    rig.put(f"{DEAD}/1", url("a", 0))
    assert rig.drain() == [url("a", 0)]
    rig.put(url("a", 1))
    assert rig.drain() == [url("a", 1)]
    rig.restart()
    assert rig.drain() == [f"{DEAD}/0", f"{DEAD}/1"]


def test_new_links_of_an_authority_that_rests_wait_for_its_end_although_nothing_else_of_it_was_queued(rig: Rig) -> None:
    rig.put(f"{DEAD}/0")
    visit = rig.visit()
    rig.frontier.release(visit, answered=False)
    rig.frontier.hold(HOST, 60.0, "connect-refused", authority=DEAD)
    rig.finish(visit)
    rig.clock.advance(30)
    assert rig.frontier.next() is None
    rig.put(f"{DEAD}/1")
    assert rig.next_visit() is None
    rig.clock.advance(30)
    assert rig.visit().link.url == f"{DEAD}/1"


def test_an_authority_that_asked_for_a_long_rest_is_still_left_by_the_next_run_and_its_host_is_not(rig: Rig) -> None:
    rig.put(f"{DEAD}/0", url("a", 0))
    rig.preparation()
    rig.fail_preparation(DEAD, 7200.0, "robots.txt is unreachable (503)")
    with rig.commit():
        pass
    rig.restart()
    assert rig.drain() == [url("a", 0)]
    assert rig.frontier.parked.reasons == {DEAD: "robots.txt is unreachable (503)"}
    rig.clock.advance(7200)
    rig.restart()
    assert rig.drain() == [f"{DEAD}/0"]


# ── bounds ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_host_with_more_dead_ports_than_lanes_is_completed_and_its_ports_are_left_after_few_tries(rig: Rig) -> None:
    rig.put(url("a", 0))
    rig.end(rig.visit())
    rig.put(*(f"http://a.example:{port}/" for port in range(1000, 3000)), depth=1)
    rig.put(*(url("a", f"more{number}") for number in range(20)), depth=2)
    visited, tried = crawl_with_a_dead_authority(rig, is_dead=lambda authority: authority.count(":") > 1, tries=3)
    assert len(visited) == 20
    assert sum(authority != GOOD for authority in tried) <= 3 * MAX_LANES
    assert rig.frontier.parked.count == MAX_LANES - 1
    assert rig.frontier.parked.reasons["a.example, further ports"] == "connect-refused"


def test_a_host_with_more_ports_than_lanes_is_completed_when_they_are_well(rig: Rig) -> None:
    everything = [f"http://a.example:{port}/{page}" for page in range(2) for port in range(1000, 1100)]
    rig.put(*everything)
    rig.restart()
    rig.clock.advance(1)
    assert sorted(rig.drain()) == sorted(everything)


def test_the_longest_delay_of_authorities_that_share_a_lane_is_kept(rig: Rig) -> None:
    rig.put(*(f"http://a.example:{port}/" for port in range(1000, 1000 + MAX_LANES + 2)))
    for number in range(MAX_LANES + 1):
        delay_s = 40.0 if number == MAX_LANES else 0.0
        rig.frontier.clear(HOST, rig.preparation().authority, Clearance((ADDRESS,), 1e6, delay_s=delay_s))
        rig.clock.advance(40)
        rig.end(rig.visit())
        rig.clock.advance(1)
    assert rig.frontier.next() is None
    rig.clock.advance(39)
    rig.frontier.clear(HOST, rig.preparation().authority, PREPARED)
    rig.end(rig.visit())
    assert rig.frontier.seconds_to_next() == pytest.approx(40.0)


def test_links_to_a_dead_port_are_not_read_again_and_again(make_rig: MakeRig) -> None:
    """Ten thousand of them in front of a host's other pages: each is read as often as its heads are filled, no more."""
    rig = make_rig(delay_s=0)
    rig.put(*(f"{DEAD}/{number}" for number in range(10_000)))
    rig.put(*urls("a", 200), depth=1)
    scan, read = rig.state.scan, 0

    def counting(*args: object) -> object:
        nonlocal read
        for row in scan(*args):  # type: ignore[arg-type]
            read += 1
            yield row

    rig.state.scan = counting  # type: ignore[method-assign, assignment]
    visited, _ = crawl_with_a_dead_authority(rig, is_dead=lambda authority: authority == DEAD, tries=3)
    assert visited == urls("a", 200)
    assert read < 1000


# ── hosts that have answered ───────────────────────────────────────────────────────────────────────────


def test_that_a_host_has_answered_is_known_after_a_restart(rig: Rig) -> None:
    rig.put(*urls("a", 3), url("b"))
    while (visit := rig.visit()).host != HOST:
        rig.frontier.release(visit, answered=False)
    assert not rig.frontier.has_answered(HOST)
    rig.end(visit)
    assert rig.frontier.has_answered(HOST)
    rig.restart()
    rig.clock.advance(1)
    rig.all_visits_now()
    assert rig.frontier.has_answered(HOST)
    assert not rig.frontier.has_answered("b.example")


def test_new_links_of_an_authority_go_while_the_robots_txt_of_another_one_is_asked_for(rig: Rig) -> None:
    rig.put(f"{DEAD}/1")
    assert rig.preparation().authority == DEAD
    rig.put(url("a"))
    assert rig.visit().link.url == url("a")


def test_new_links_of_an_authority_go_while_another_one_rests(rig: Rig) -> None:
    rig.put(f"{DEAD}/1")
    rig.preparation()
    rig.fail_preparation(DEAD, 60.0, "connect-refused")
    rig.put(url("a"))
    assert rig.visit().link.url == url("a")


def test_new_links_of_an_authority_go_while_another_one_has_nothing_but_a_retry(rig: Rig) -> None:
    rig.put(f"{DEAD}/1")
    failing = rig.visit()
    rig.frontier.release(failing, answered=False)
    rig.retry(failing, 60.0)
    rig.clock.advance(1)
    assert rig.next_visit() is None
    rig.put(url("a"))
    assert rig.visit().link.url == url("a")


def test_new_links_do_not_cost_a_host_its_place_at_its_address(make_rig: MakeRig) -> None:
    rig = make_rig(address_interval_s=10.0, delay_s=0)
    rig.put(url("first"), url("a"), url("b"))
    rig.end(rig.visit())
    assert rig.next_visit() is None, "both wait at the gate"
    rig.put(f"{DEAD}/1")
    rig.clock.advance(10)
    assert rig.visit().host == HOST
