"""No visit before address and robots rules are known; and hosts that are left for another run."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.frontier.rig import ADDRESS, PREPARED, Rig, url, urls
from weft.frontier import Clearance, Preparation
from weft.types import Outcome, Visit

MakeRig = Callable[..., Rig]
HOST = "a.example"
AUTHORITY = "http://a.example"


def test_a_new_host_is_prepared_before_its_first_visit(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    assert rig.preparation() == Preparation(HOST, "http://a.example")
    rig.clock.advance(1000)
    assert rig.frontier.next() is None, "one preparation at a time"
    rig.frontier.clear(HOST, "http://a.example", PREPARED)
    visit = rig.frontier.next()
    assert isinstance(visit, Visit)
    assert visit.address == ADDRESS


def test_each_authority_of_a_host_is_prepared(rig: Rig) -> None:
    rig.put("http://a.example/1", "https://a.example/2", "http://a.example:8080/3", "http://a.example/4")
    prepared = []
    while rig.frontier.has_work():
        turn = rig.frontier.next()
        if isinstance(turn, Preparation):
            prepared.append(turn.authority)
            rig.frontier.clear(HOST, turn.authority, PREPARED)
        elif isinstance(turn, Visit):
            rig.end(turn)
        else:
            rig.clock.advance(1)
    assert prepared == ["http://a.example", "https://a.example", "http://a.example:8080"]


def test_a_host_is_prepared_again_when_what_is_known_has_expired(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.frontier.clear(HOST, rig.preparation().authority, Clearance((ADDRESS,), holds_s=10.0))
    visit = rig.frontier.next()
    assert isinstance(visit, Visit)
    rig.end(visit)
    rig.clock.advance(9.9)
    visit = rig.frontier.next()
    assert isinstance(visit, Visit)
    rig.end(visit)
    rig.clock.advance(1)
    assert rig.preparation() == Preparation(HOST, "http://a.example")


def test_a_host_without_an_address_hands_its_trouble_to_every_visit(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    nowhere = Clearance((), 300.0, trouble=Outcome.DNS_NOT_FOUND)
    rig.frontier.clear(HOST, rig.preparation().authority, nowhere)
    for _ in range(2):
        visit = rig.frontier.next()
        assert isinstance(visit, Visit)
        assert (visit.address, visit.trouble) == ("", Outcome.DNS_NOT_FOUND)
        rig.frontier.cancel(visit)
        rig.finish(visit)
    assert not rig.frontier.has_work()


def test_a_host_that_got_an_address_at_last_has_no_trouble(rig: Rig) -> None:
    rig.put(url("a"))
    nowhere = Clearance((), 10.0, trouble=Outcome.DNS_FAILED)
    rig.frontier.clear(HOST, rig.preparation().authority, nowhere)
    rig.clock.advance(10)
    rig.frontier.clear(HOST, rig.preparation().authority, PREPARED)
    assert rig.visit().trouble is None


def test_a_host_whose_preparation_failed_is_prepared_again_after_its_rest(rig: Rig) -> None:
    rig.put(url("a"))
    rig.preparation()
    rig.fail_preparation(AUTHORITY, 60.0, "robots.txt is unreachable")
    assert rig.frontier.next() is None
    rig.clock.advance(60)
    rig.preparation()


def test_links_put_while_a_host_is_prepared_are_visited_after(rig: Rig) -> None:
    rig.put(url("a", "first"), depth=1)
    rig.preparation()
    rig.put(url("a", "nearer"), depth=0)
    assert rig.frontier.next() is None
    rig.frontier.clear(HOST, "http://a.example", PREPARED)
    assert rig.drain() == [url("a", "nearer"), url("a", "first")]


def test_failures_of_a_host_are_counted_until_it_answers(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    assert [rig.frontier.count_failure(HOST) for _ in range(3)] == [1, 2, 3]
    rig.frontier.release(rig.visit(), answered=False)
    assert rig.frontier.count_failure(HOST) == 4
    rig.clock.advance(1)
    rig.frontier.release(rig.visit(), answered=True)
    assert rig.frontier.count_failure(HOST) == 1


def test_requests_that_were_under_way_together_fail_once(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    began_at = rig.clock.monotonic()
    rig.clock.advance(5)
    assert [rig.frontier.count_failure(HOST, began_at=began_at) for _ in range(4)] == [1, 1, 1, 1]
    assert rig.frontier.count_failure(HOST, began_at=rig.clock.monotonic()) == 2


# ── many hosts ─────────────────────────────────────────────────────────────────────────────────────────


def look_up(rig: Rig, bound: int) -> None:
    """As many hosts as can be are looked up, from the first one on; the others wait."""
    for number in range(bound):
        assert rig.preparation().host == f"h{number}.example"
    assert rig.frontier.next() is None
    assert rig.frontier.has_work()


def test_only_so_many_hosts_are_looked_up_at_once_and_the_next_when_one_is_known(make_rig: MakeRig) -> None:
    rig = make_rig(look_ups=2)
    rig.put(*(url(f"h{number}") for number in range(5)))
    look_up(rig, 2)
    rig.frontier.clear("h1.example", "http://h1.example", PREPARED)
    assert rig.preparation().host == "h2.example"
    assert isinstance(visit := rig.frontier.next(), Visit)
    assert visit.host == "h1.example"
    rig.fail_preparation("http://h0.example", 60.0, "dns-failed")
    assert rig.preparation().host == "h3.example"
    assert rig.frontier.next() is None


def test_a_host_whose_robots_txt_is_waited_for_keeps_no_other_from_being_looked_up(make_rig: MakeRig) -> None:
    """It may wait for its address's gate for minutes, with thousands of others."""
    rig = make_rig(look_ups=1)
    rig.put(*(url(f"h{number}") for number in range(2)))
    look_up(rig, 1)
    turn = rig.side_turn("h0.example")
    rig.frontier.ask_for_turn(turn)
    assert rig.frontier.next() is turn, "first: else all hosts would be looked up before one is asked"
    assert rig.preparation().host == "h1.example"


def test_hosts_that_are_left_or_wait_elsewhere_meanwhile_keep_no_other_from_being_looked_up(make_rig: MakeRig) -> None:
    rig = make_rig(look_ups=1)
    rig.put(*(url(f"h{number}") for number in range(4)))
    look_up(rig, 1)
    rig.frontier.park("h1.example", 7200, "connect-timeout")
    rig.frontier.hold("h2.example", 20, "status 503")
    rig.frontier.fail_preparation("h0.example", "http://h0.example")
    rig.frontier.park("h0.example", 7200, "dns-failed")
    assert rig.preparation().host == "h3.example"
    rig.clock.advance(20)
    assert rig.frontier.next() is None
    rig.frontier.clear("h3.example", "http://h3.example", PREPARED)
    assert rig.preparation().host == "h2.example"


def test_an_authority_whose_address_is_known_waits_for_no_look_up(make_rig: MakeRig) -> None:
    rig = make_rig(look_ups=1, connections=2)
    rig.put("http://h0.example/1", "https://h0.example/2", url("h1"), url("h2"))
    assert rig.preparation().host == "h0.example"
    rig.frontier.clear("h0.example", "http://h0.example", PREPARED)
    assert rig.preparation().host == "h1.example"
    assert isinstance(rig.frontier.next(), Visit)
    rig.clock.advance(1)
    assert rig.preparation() == Preparation("h0.example", "https://h0.example")


# ── parking ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_hold_longer_than_a_host_may_wait_parks_it(make_rig: MakeRig) -> None:
    rig = make_rig(max_host_wait_s=100)
    rig.put(*urls("a", 2))
    rig.preparation()
    rig.fail_preparation(AUTHORITY, 100.1, "robots.txt is unreachable")
    assert rig.frontier.parked.reasons == {AUTHORITY: "robots.txt is unreachable"}
    assert not rig.frontier.has_work()
    assert rig.frontier.seconds_to_next() is None
    rig.clock.advance(1000)
    assert rig.frontier.next() is None


@pytest.mark.parametrize("seconds", [7200, 3600, 60])
def test_new_links_of_a_parked_host_wait_with_it(rig: Rig, seconds: float) -> None:
    """However soon it may be asked again: parked means not in this run."""
    rig.put(url("a", 0))
    rig.preparation()
    rig.frontier.park(HOST, seconds, "connect-timeout")
    rig.put(url("a", 1), url("b", 0))
    assert rig.drain() == [url("b", 0)]
    rig.clock.advance(7200)
    rig.restart()
    assert rig.drain() == urls("a", 2)


@pytest.mark.parametrize(("later_s", "is_parked_again"), [(3000, True), (3700, False)])
def test_the_next_run_asks_a_parked_host_when_its_time_has_come_near(
    rig: Rig, later_s: float, is_parked_again: bool
) -> None:
    rig.put(*urls("a", 2))
    rig.preparation()
    rig.frontier.park(HOST, 7200, "connect-timeout")
    with rig.commit():
        pass
    rig.clock.advance(later_s)
    rig.restart()
    assert (HOST in rig.frontier.parked.reasons) is is_parked_again
    assert rig.frontier.has_work() is not is_parked_again
    if is_parked_again:
        assert rig.frontier.parked.reasons[HOST] == "connect-timeout"
    else:
        rig.clock.advance(7199 - later_s)
        assert rig.frontier.next() is None
        rig.clock.advance(1)
        assert rig.drain() == urls("a", 2)


def test_a_visit_under_way_when_its_host_is_parked_is_still_committed(make_rig: MakeRig) -> None:
    rig = make_rig(connections=2)
    rig.put(*urls("a", 3))
    failing = rig.visit()
    rig.clock.advance(1)
    good = rig.visit()
    rig.frontier.release(failing, answered=False)
    rig.retry(failing, 5)
    rig.frontier.park(HOST, 3600, "connect-timeout")
    assert rig.frontier.has_work()
    rig.end(good)
    assert not rig.frontier.has_work()
    rig.clock.advance(3600)
    rig.restart()
    assert rig.drain() == [url("a", 2), url("a", 0)]


def test_a_second_failure_of_a_host_that_is_parked_by_then_changes_nothing(make_rig: MakeRig) -> None:
    """With two connections the second request may fail after the first one parked the host."""
    rig = make_rig(connections=2)
    rig.put(*urls("a", 3))
    one = rig.visit()
    rig.clock.advance(1)
    other = rig.visit()
    for visit in (one, other):
        rig.frontier.release(visit, answered=False)
        rig.retry(visit, 5)
        rig.frontier.count_failure(HOST)
        rig.frontier.park(HOST, 3600, "connect-timeout")
    assert list(rig.frontier.parked.reasons) == [HOST]
    assert not rig.frontier.has_work()
    rig.clock.advance(3600)
    rig.restart()
    assert sorted(rig.drain()) == urls("a", 3)


def test_a_hold_of_a_host_that_is_parked_by_then_changes_nothing(make_rig: MakeRig) -> None:
    rig = make_rig(connections=2)
    rig.put(*urls("a", 3))
    one = rig.visit()
    rig.clock.advance(1)
    other = rig.visit()
    rig.frontier.release(one, answered=False)
    rig.retry(one, 5)
    rig.frontier.park(HOST, 7200, "connect-timeout")
    rig.frontier.release(other, answered=True)
    rig.retry(other, 30)
    rig.frontier.hold(HOST, 30, "status 503")
    with rig.commit():
        pass
    rig.restart()
    assert list(rig.frontier.parked.reasons) == [HOST], "two hours are more than a host may wait"


def test_a_preparation_that_ends_after_its_host_was_parked_changes_nothing(make_rig: MakeRig) -> None:
    """With two connections a second authority may be prepared while a visit of the first one fails."""
    rig = make_rig(connections=2)
    rig.put("http://a.example/1", "https://a.example/2")
    failing = rig.visit()
    rig.clock.advance(1)
    turn = rig.preparation()
    assert turn.authority == "https://a.example"
    rig.frontier.release(failing, answered=False)
    rig.retry(failing, 5)
    rig.frontier.park(HOST, 3600, "connect-timeout")
    rig.frontier.clear(HOST, turn.authority, PREPARED)
    rig.clock.advance(1000)
    assert rig.frontier.next() is None
    assert not rig.frontier.has_work()


def test_a_hold_during_a_preparation_does_not_start_a_second_one(make_rig: MakeRig) -> None:
    rig = make_rig(connections=2)
    rig.put("http://a.example/1", "https://a.example/2")
    failing = rig.visit()
    rig.clock.advance(1)
    turn = rig.preparation()
    rig.frontier.release(failing, answered=True)
    rig.retry(failing, 30)
    rig.frontier.hold(HOST, 30, "status 503")
    rig.clock.advance(31)
    assert rig.visit().link.url == "http://a.example/1"
    rig.clock.advance(1)
    assert rig.frontier.next() is None, "the first preparation is still under way"
    rig.frontier.clear(HOST, turn.authority, PREPARED)
    assert rig.visit().link.url == "https://a.example/2"
