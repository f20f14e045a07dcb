"""Whose turn it is, and which of its URLs comes first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.frontier.rig import Rig, url, urls
from weft.pipeline.progress import HostStates, states_and_rate
from weft.types import Kind, Link
from weft.url import url_id

MakeRig = Callable[..., Rig]


@pytest.fixture
def fast(make_rig: MakeRig) -> Rig:
    """No delays: only rank and fairness decide."""
    return make_rig(delay_s=0)


def test_a_visit_carries_what_a_fetch_needs(rig: Rig) -> None:
    link = Link(url("a", "page"), 3, Kind.FRAME, via=url("b"), redirects=2)
    with rig.commit() as batch:
        rig.frontier.put(batch, "a.example", link)
    visit = rig.visit()
    assert visit.link == link
    assert (visit.id, visit.host, visit.address) == (url_id(link.url), "a.example", "192.0.2.1")
    assert rig.state.get("queue", visit.key) is not None, "its row stays until the page is committed"


def test_what_is_put_is_not_handed_out_before_its_batch_is_written(rig: Rig) -> None:
    batch = rig.state.batch()
    rig.frontier.put(batch, "a.example", Link(url("a"), 0))
    rig.frontier.seal(batch)
    assert rig.frontier.next() is None
    rig.state.write(batch)
    rig.frontier.settle()
    assert rig.frontier.next() is not None


def test_nearer_pages_come_first_and_equal_ones_in_the_order_found(fast: Rig) -> None:
    fast.put(*(url("a", f"far{n}") for n in range(20)), depth=5)
    fast.put(url("a", "near0"), url("a", "near1"), depth=1)
    fast.put(url("a", "seed"), depth=0)
    assert fast.drain() == [
        url("a", "seed"),
        url("a", "near0"),
        url("a", "near1"),
        *(url("a", f"far{n}") for n in range(20)),
    ]


def test_a_nearer_page_found_later_overtakes_what_is_queued(fast: Rig) -> None:
    fast.put(*urls("a", 30), depth=4)
    fast.end(fast.visit())
    fast.put(url("a", "near"), depth=2)
    assert fast.visit().link.url == url("a", "near")


def test_a_link_found_in_the_same_commit_as_its_host_ends_is_visited(fast: Rig) -> None:
    fast.put(url("a", 0))
    visit = fast.visit()
    fast.frontier.release(visit, answered=True)
    with fast.commit() as batch:
        fast.frontier.finish(batch, visit)
        fast.frontier.put(batch, "a.example", Link(url("a", 1), 1))
    assert fast.drain() == [url("a", 1)]


def test_ready_hosts_come_in_the_order_of_their_best_page(fast: Rig) -> None:
    for depth, host in ((7, "g"), (2, "b"), (9, "i"), (4, "d")):
        fast.put(*urls(host, 2), depth=depth)
    prepared = fast.all_visits_now()
    for visit in prepared:
        fast.end(visit)
    assert fast.drain() == [url(host, 1) for host in "bdgi"]


def test_a_host_keeps_its_rank_while_its_next_pages_are_still_on_disk(fast: Rig) -> None:
    """More URLs than the heads in memory: reading on must not let the host jump the queue."""
    for visited in range(30):
        far, near = f"far{visited}", f"near{visited}"
        fast.put(*urls(far, 40), depth=9)
        for _ in range(visited):
            fast.end(fast.visit())
        fast.put(url(near), depth=1)
        assert fast.drain()[0] == url(near), f"after {visited} visits"


def test_hosts_of_equal_rank_take_turns(fast: Rig) -> None:
    for host in "abc":
        fast.put(*urls(host, 30), depth=1)
    hosts = [one.removeprefix("http://")[0] for one in fast.drain()]
    assert len(hosts) == 90
    rounds = [set(hosts[start : start + 3]) for start in range(0, 90, 3)]
    assert rounds == [{"a", "b", "c"}] * 30


def test_a_user_order_decides_instead(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0, rank=lambda link: 99 - int(link.url[-2:]))
    rig.put(*(url("a", f"page{number:02}") for number in range(40)))
    assert rig.drain() == [url("a", f"page{number:02}") for number in range(39, -1, -1)]


@pytest.mark.parametrize("rank", [0, 65_535])
def test_the_first_and_the_last_rank_are_visited(make_rig: MakeRig, rank: int) -> None:
    rig = make_rig(delay_s=0, rank=lambda link: rank)
    rig.put(*urls("a", 20))
    assert rig.drain() == urls("a", 20)


def test_hosts_whose_names_begin_alike_do_not_mix(fast: Rig) -> None:
    names = ["a.example", "a.example.org", "a.exampl", "a"]
    for name in names:
        fast.put(*(f"http://{name}/{number}" for number in range(12)))
    visits = fast.all_visits_now()
    assert sorted((visit.host, visit.link.url) for visit in visits) == sorted(
        (name, f"http://{name}/0") for name in names
    )
    for visit in visits:
        fast.end(visit)
    assert len(fast.drain()) == 4 * 11


# ── retries ────────────────────────────────────────────────────────────────────────────────────────────


def test_a_retry_waits_and_says_how_often_it_was_tried(rig: Rig) -> None:
    rig.put(url("a"))
    for attempts in range(3):
        visit = rig.visit()
        assert visit.link.attempts == attempts
        rig.frontier.release(visit, answered=False)
        rig.retry(visit, 20.0)
        rig.clock.advance(19.9)
        assert rig.next_visit() is None
        assert rig.frontier.seconds_to_next() == pytest.approx(0.1)
        rig.clock.advance(0.11)
    assert rig.visit().link.url == url("a")


def test_a_retry_stands_behind_the_other_urls_of_its_host(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    first = rig.visit()
    rig.frontier.release(first, answered=False)
    rig.retry(first, 1.0)
    assert rig.drain() == [url("a", 1), url("a", 2), url("a", 0)]


def test_a_host_goes_on_with_its_other_urls_while_a_retry_waits(rig: Rig) -> None:
    rig.put(*urls("a", 4))
    first = rig.visit()
    rig.frontier.release(first, answered=False)
    rig.retry(first, 600.0)
    begin = rig.clock.now
    for number in (1, 2, 3):
        rig.clock.advance(1)
        rig.end(visit := rig.visit())
        assert visit.link.url == url("a", number)
    assert rig.clock.now - begin == 3.0
    assert rig.next_visit() is None


def test_a_new_link_overtakes_a_retry_that_waits(rig: Rig) -> None:
    rig.put(url("a", "bad"))
    first = rig.visit()
    rig.frontier.release(first, answered=False)
    rig.retry(first, 600.0)
    rig.clock.advance(5)
    assert rig.next_visit() is None
    rig.put(url("a", "new"), depth=8)
    assert rig.visit().link.url == url("a", "new")


def test_a_retry_that_is_due_is_not_held_up_by_one_that_is_not(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    slow = rig.visit()
    rig.frontier.release(slow, answered=False)
    rig.retry(slow, 600.0)
    rig.clock.advance(1)
    quick = rig.visit()
    rig.frontier.release(quick, answered=False)
    rig.retry(quick, 5.0)
    rig.clock.advance(5)
    assert rig.visit().link.url == quick.link.url


def test_the_wait_of_a_retry_outlives_a_restart(rig: Rig) -> None:
    rig.put(url("a"))
    visit = rig.visit()
    rig.frontier.release(visit, answered=False)
    rig.retry(visit, 60.0)
    rig.restart()
    rig.clock.advance(59)
    assert rig.next_visit() is None
    rig.clock.advance(1.1)
    assert rig.visit().link.attempts == 1


def test_a_retry_is_work_that_is_left(rig: Rig) -> None:
    rig.put(url("a"))
    visit = rig.visit()
    rig.frontier.release(visit, answered=False)
    rig.retry(visit, 60.0)
    assert rig.frontier.has_work()


# ── how much work is left ──────────────────────────────────────────────────────────────────────────────


def test_there_is_work_until_the_last_page_is_committed(rig: Rig) -> None:
    assert not rig.frontier.has_work()
    assert rig.frontier.seconds_to_next() is None
    rig.put(url("a"))
    assert rig.frontier.has_work()
    assert rig.frontier.seconds_to_next() == 0.0
    visit = rig.visit()
    assert rig.frontier.has_work()
    rig.frontier.release(visit, answered=True)
    assert rig.frontier.has_work(), "its links are not known yet"
    rig.finish(visit)
    assert not rig.frontier.has_work()


def test_a_look_counts_the_hosts_by_state(rig: Rig) -> None:
    rig.put(*(url(host, page) for host in "abcd" for page in range(2)))
    rig.put(url("e"))
    visits = rig.all_visits_now()
    rig.end(visits[0])  # waits
    rig.frontier.release(visits[-1], answered=True)  # nothing more queued, its page under way
    rig.finish(visits[1])  # still busy: committed before the connection was given back
    rig.put(url("f"))
    rig.preparation()
    states, _ = states_and_rate(rig.frontier, rig.clock.monotonic())
    assert states == HostStates(in_memory=6, ready=0, busy=3, waiting=1, preparing=1, left=0)


@pytest.mark.parametrize("before_s", [step * 1e-6 for step in range(12)])
def test_a_retry_that_falls_due_while_its_turn_is_looked_at_is_handed_out(rig: Rig, before_s: float) -> None:
    """Two looks at the clock may find its host ready and not ready; that must not go on for ever."""
    rig.put(url("a"))
    first = rig.visit()
    rig.frontier.release(first, answered=False)
    rig.retry(first, wait_s=10.0)
    rig.clock.advance(10.0 - before_s)
    rig.clock.passing_s = 1e-6
    second = next(visit for visit in (rig.next_visit() for _ in range(100)) if visit is not None)
    assert second.link.attempts == 1


def test_a_host_that_is_ready_keeps_its_place_when_a_request_of_it_ends(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0, connections=3)
    rig.put(*urls("a", 3), *urls("b", 3))
    of_a, of_b = rig.visit(), rig.visit()
    assert (of_a.host, of_b.host) == ("a.example", "b.example")
    rig.end(of_a)
    assert [rig.visit().host for _ in range(4)] == ["a.example", "b.example"] * 2


def test_a_host_that_was_ready_rests_when_a_request_of_it_took_long(make_rig: MakeRig) -> None:
    rig = make_rig(delay_s=0.001, connections=2, slow_factor=2.0)
    rig.put(*urls("a", 3))
    first = rig.visit()
    rig.clock.advance(0.002)
    rig.frontier.has_work()  # its delay is over: it is ready
    rig.frontier.release(first, answered=True, waited_s=1.0)
    assert rig.next_visit() is None
    rig.clock.advance(2.0)
    assert rig.next_visit() is not None
