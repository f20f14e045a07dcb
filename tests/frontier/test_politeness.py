"""How often a host is asked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.frontier.rig import ADDRESS, Rig, url, urls
from weft.frontier import Clearance

MakeRig = Callable[..., Rig]


def test_the_delay_runs_from_the_end_of_the_request(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    first = rig.visit()
    rig.clock.advance(30)
    rig.end(first)
    assert rig.next_visit() is None
    assert rig.frontier.seconds_to_next() == pytest.approx(1.0)
    rig.clock.advance(0.999)
    assert rig.next_visit() is None
    rig.clock.advance(0.0011)
    assert rig.visit().link.url == url("a", 1)


def test_a_host_has_one_connection_unless_told_otherwise(rig: Rig) -> None:
    rig.put(*urls("a", 3), *urls("b", 3))
    assert sorted(visit.host for visit in rig.all_visits_now()) == ["a.example", "b.example"]
    rig.clock.advance(1000)
    assert rig.next_visit() is None


def test_a_page_that_is_still_being_parsed_does_not_hold_its_host_up(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    first = rig.visit()
    rig.frontier.release(first, answered=True)
    rig.clock.advance(1)
    assert rig.visit().link.url == url("a", 1)


def test_a_page_that_is_awaited_holds_its_host_up_until_it_is_committed_and_no_other_host(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    first = rig.visit()
    rig.frontier.release(first, answered=True, is_awaited=True)
    rig.put(url("b"))  # at the same address
    rig.clock.advance(1000)
    assert rig.visit().host == "b.example"
    assert rig.next_visit() is None
    rig.finish(first)
    assert rig.visit().link.url == url("a", 1)


def test_the_delay_runs_from_the_end_of_the_request_also_where_its_page_is_awaited(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    first = rig.visit()
    rig.frontier.release(first, answered=True, is_awaited=True)
    rig.clock.advance(0.4)
    rig.finish(first)
    assert rig.next_visit() is None
    assert rig.frontier.seconds_to_next() == pytest.approx(0.6)


def test_several_connections_start_a_delay_apart_and_no_more_of_them(make_rig: MakeRig) -> None:
    rig = make_rig(connections=3)
    rig.put(*urls("a", 9))
    started = []
    for _ in range(20):
        started += [rig.clock.now for _ in rig.all_visits_now()]
        rig.clock.advance(0.5)
    begin = started[0]
    assert [at - begin for at in started] == [0.0, 1.0, 2.0]


def test_the_end_of_one_of_several_requests_starts_the_delay_anew(make_rig: MakeRig) -> None:
    rig = make_rig(connections=2)
    rig.put(*urls("a", 9))
    rig.visit()
    rig.clock.advance(1)
    second = rig.visit()
    rig.clock.advance(5)
    rig.end(second)
    assert rig.next_visit() is None
    rig.clock.advance(1)
    assert rig.next_visit() is not None


def test_without_a_delay_a_host_is_asked_as_fast_as_it_answers(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0)
    rig.put(*urls("a", 20))
    visited = []
    while (visit := rig.next_visit()) is not None:
        assert rig.next_visit() is None, "still one connection"
        visited.append(visit.link.url)
        rig.end(visit)
    assert visited == urls("a", 20)


def test_without_a_delay_all_connections_are_used_at_once(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0, connections=4)
    rig.put(*urls("a", 20))
    assert [visit.link.url for visit in rig.all_visits_now()] == urls("a", 4)


def test_a_visit_that_needs_no_request_gives_the_turn_back(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    refused = rig.visit()
    rig.frontier.cancel(refused)
    assert rig.visit().link.url == url("a", 1)
    rig.finish(refused)
    assert rig.next_visit() is None, "one request is under way"


@pytest.mark.parametrize(("ours_s", "theirs_s"), [(1.0, 7.5), (7.5, 1.0)])
def test_the_longer_delay_counts_ours_or_that_of_robots_txt(make_rig: MakeRig, ours_s: float, theirs_s: float) -> None:
    rig = make_rig(delay_s=ours_s)
    rig.put(*urls("a", 2))
    turn = rig.preparation()
    rig.frontier.clear(turn.host, turn.authority, Clearance((ADDRESS,), 1000, delay_s=theirs_s))
    rig.end(rig.visit())
    assert rig.frontier.seconds_to_next() == pytest.approx(7.5)


def test_a_request_for_robots_txt_counts_as_one(rig: Rig) -> None:
    rig.put(url("a"))
    turn = rig.preparation()
    rig.ask_robots(turn.host)
    rig.frontier.clear(turn.host, turn.authority, Clearance((ADDRESS,), 1000, delay_s=3.0))
    assert rig.frontier.next() is None
    assert rig.frontier.seconds_to_next() == pytest.approx(3.0)
    rig.clock.advance(3)
    assert rig.next_visit() is not None


def test_a_crawl_delay_beyond_what_a_host_may_wait_parks_the_host(make_rig: MakeRig) -> None:
    """Otherwise one line in a robots.txt keeps the crawl from ending."""
    rig = make_rig(max_host_wait_s=60)
    rig.put(*urls("a", 2), url("b"))
    for _ in range(2):
        turn = rig.preparation()
        delay_s = 86_400.0 if turn.host == "a.example" else 0.0
        rig.ask_robots(turn.host)
        rig.frontier.clear(turn.host, turn.authority, Clearance((ADDRESS,), 1000, delay_s=delay_s))
    rig.clock.advance(1)
    rig.end(rig.visit())
    assert not rig.frontier.has_work()
    assert list(rig.frontier.parked.reasons) == ["a.example"]


def test_a_host_that_was_empty_for_a_moment_still_waits_its_delay(rig: Rig) -> None:
    rig.put(url("a", 1))
    rig.end(rig.visit())
    rig.clock.advance(0.5)
    rig.put(url("a", 2))
    assert rig.next_visit() is None
    rig.clock.advance(0.5)
    assert rig.visit().link.url == url("a", 2)


def test_a_host_is_forgotten_only_once_its_delay_is_over(rig: Rig) -> None:
    rig.put(url("a", 1))
    rig.end(rig.visit())
    rig.clock.advance(0.5)
    assert rig.next_visit() is None
    assert len(rig.frontier.residents.hosts) == 1
    rig.clock.advance(0.5)
    assert rig.next_visit() is None
    assert len(rig.frontier.residents.hosts) == 0


# ── holding ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_host_on_hold_rests_and_others_go_on(rig: Rig) -> None:
    rig.put(*urls("a", 2), *urls("b", 2))
    first = rig.visit()
    rig.end(first)
    rig.frontier.hold(first.host, 60.0, "status 429")
    assert rig.visit().host == "b.example"
    rig.clock.advance(59.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    assert rig.visit().host == first.host


def test_a_shorter_hold_does_not_end_a_longer_one(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    rig.end(rig.visit())
    rig.frontier.hold("a.example", 60.0, "")
    rig.frontier.hold("a.example", 10.0, "")
    rig.clock.advance(59)
    assert rig.next_visit() is None


def test_a_hold_outlives_a_restart(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    rig.end(rig.visit())
    rig.frontier.hold("a.example", 60.0, "")
    rig.put(url("b"))
    rig.restart()
    rig.clock.advance(59)
    assert [visit.host for visit in rig.all_visits_now()] == ["b.example"]
    rig.clock.advance(1)
    assert rig.visit().host == "a.example"


def test_the_longer_of_two_holds_outlives_a_restart(make_rig: MakeRig) -> None:
    """With two connections a host can fail twice at once."""
    rig = make_rig(connections=2)
    rig.put(*urls("a", 4))
    first = rig.visit()
    rig.clock.advance(1)
    second = rig.visit()
    rig.frontier.release(first, answered=True)
    rig.retry(first, 240.0)
    rig.frontier.hold("a.example", 240.0, "")
    rig.frontier.release(second, answered=True)
    rig.retry(second, 15.0)
    rig.frontier.hold("a.example", 15.0, "")
    rig.put(url("a", 9))
    rig.restart()
    rig.clock.advance(239)
    assert rig.next_visit() is None
    rig.clock.advance(1)
    assert rig.next_visit() is not None


# ── restarts ───────────────────────────────────────────────────────────────────────────────────────────


def test_after_a_restart_a_host_is_taken_for_just_asked(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    rig.visit()
    rig.restart()
    assert rig.next_visit() is None
    assert rig.frontier.seconds_to_next() == pytest.approx(1.0)
    rig.clock.advance(1)
    assert rig.visit().link.url == url("a", 0), "its page was not committed"


def test_after_a_restart_the_delay_of_robots_txt_is_kept_too(rig: Rig) -> None:
    """Rules that are still fresh need no request, but the last one before the restart may have been just now."""
    slow = Clearance((ADDRESS,), 1000, delay_s=30.0)
    rig.put(*urls("a", 3))
    rig.frontier.clear("a.example", rig.preparation().authority, slow)
    rig.end(rig.visit())
    rig.clock.advance(30)
    rig.end(rig.visit())
    rig.restart()
    rig.clock.advance(1)
    rig.frontier.clear("a.example", rig.preparation().authority, slow)
    rig.clock.advance(28)
    assert rig.frontier.next() is None
    rig.clock.advance(1)
    assert rig.frontier.next() is not None


def test_a_repeat_waits_for_the_delay_and_counts_as_no_try(rig: Rig) -> None:
    rig.put(url("a", 0))
    visit = rig.visit()
    rig.frontier.release(visit, answered=False)
    rig.retry(visit, 0.0, is_repeat=True)
    assert rig.next_visit() is None
    assert rig.frontier.seconds_to_next() == pytest.approx(1.0)
    rig.clock.advance(1.001)
    again = rig.visit()
    assert (again.link.url, again.link.attempts, again.link.again) == (url("a", 0), 0, True)
    rig.frontier.release(again, answered=False)
    rig.retry(again, 0.0)
    rig.clock.advance(1.001)
    retried = rig.visit().link
    assert (retried.attempts, retried.again) == (1, False)


def test_a_repeat_goes_before_what_failed(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    failed = rig.visit()
    rig.frontier.release(failed, answered=False)
    rig.retry(failed, 0.0)
    rig.clock.advance(1.001)
    repeated = rig.visit()
    rig.frontier.release(repeated, answered=False)
    rig.retry(repeated, 0.0, is_repeat=True)
    rig.clock.advance(1.001)
    assert rig.visit().link.url == url("a", 1)
