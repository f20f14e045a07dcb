"""What a person says of single hosts while the crawl runs: another delay, or nothing at all any more."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from weft.errors import HostParked
from weft.frontier import BLOCKED, Clearance

from .rig import ADDRESS, PREPARED, Rig, url, urls

MakeRig = Callable[..., Rig]


def block(rig: Rig, host: str) -> None:
    rig.frontier.residents.block(host)
    rig.frontier.park(host, 0.0, BLOCKED)


def test_a_new_delay_holds_for_the_request_after_the_one_that_just_ended(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.end(rig.visit())
    rig.frontier.residents.set_delay("a.example", 5.0)
    rig.clock.advance(4.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    rig.end(rig.visit())
    rig.frontier.residents.set_delay("a.example", 0.0)
    assert rig.next_visit() is not None


def test_a_delay_of_nobody_is_taken_back_and_the_crawls_holds_again(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.frontier.residents.set_delay("a.example", 60.0)
    rig.end(rig.visit())
    rig.frontier.residents.set_delay("a.example", None)
    rig.clock.advance(1.0)
    assert rig.next_visit() is not None


def test_a_delay_shorter_than_that_of_robots_txt_does_not_hold(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    turn = rig.preparation()
    rig.frontier.clear(turn.host, turn.authority, Clearance((ADDRESS,), holds_s=1000.0, delay_s=10.0))
    rig.frontier.residents.set_delay("a.example", 0.5)
    rig.end(rig.visit())
    rig.clock.advance(9.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    assert rig.next_visit() is not None


def test_a_host_that_comes_later_has_the_delay_that_was_said_of_it(rig: Rig) -> None:
    rig.frontier.residents.set_delay("late.example", 7.0)
    rig.put(*urls("late", 2))
    rig.end(rig.visit())
    rig.clock.advance(6.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    assert rig.next_visit() is not None


def test_of_a_blocked_host_nothing_begins_and_the_others_go_on(rig: Rig) -> None:
    rig.put(*urls("a", 3), *urls("b", 3))
    block(rig, "a.example")
    assert rig.drain() == urls("b", 3)
    assert rig.frontier.parked.reasons == {"a.example": BLOCKED}
    assert not rig.frontier.has_work()


def test_a_host_may_be_blocked_while_one_of_its_pages_is_under_way(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    under_way = rig.visit()
    block(rig, "a.example")
    rig.end(under_way)
    assert rig.drain() == []
    assert "a.example" not in rig.frontier.residents.hosts


def test_a_host_that_is_blocked_before_it_is_found_is_never_asked(rig: Rig) -> None:
    block(rig, "a.example")
    rig.put(*urls("a", 3), url("b"))
    assert rig.drain() == [url("b")]
    assert rig.frontier.parked.reasons == {"a.example": BLOCKED}


def test_an_unblocked_host_is_visited_after_its_delay(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.end(rig.visit())
    block(rig, "a.example")
    rig.clock.advance(100.0)
    assert rig.drain() == []
    rig.frontier.residents.unblock("a.example")
    assert rig.drain() == urls("a", 3)[1:]
    assert not rig.frontier.parked.count


def test_a_host_may_be_unblocked_while_its_last_page_is_still_under_way(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    under_way = rig.visit()
    block(rig, "a.example")
    rig.frontier.residents.unblock("a.example")
    rig.end(under_way)
    assert rig.drain() == urls("a", 3)[1:]


def test_a_block_holds_in_the_next_run_and_its_end_too(make_rig: MakeRig) -> None:
    rig = make_rig(blocked=("a.example",))
    rig.put(*urls("a", 2), url("b"))
    assert rig.drain() == [url("b")]
    rig.restart()
    rig.clock.advance(10.0)
    assert rig.drain() == []
    assert rig.frontier.parked.reasons == {"a.example": BLOCKED}
    rig.blocked = ()
    rig.restart()
    rig.clock.advance(10.0)
    assert rig.drain() == urls("a", 2)


def test_a_rest_that_the_server_asked_for_outlasts_a_block(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    rig.end(rig.visit())
    rig.frontier.hold("a.example", 20.0, "it asked for that")
    block(rig, "a.example")
    rig.frontier.residents.unblock("a.example")
    rig.clock.advance(19.0)
    assert rig.next_visit() is None
    assert rig.drain() == urls("a", 2)[1:]


def test_an_authority_that_is_prepared_while_its_host_is_blocked_has_its_turn_after_the_block(
    make_rig: MakeRig,
) -> None:
    rig = make_rig(connections=2)
    rig.put("http://a.example/1", "https://a.example/2")
    one, other = rig.preparation(), rig.preparation()
    rig.frontier.clear(one.host, one.authority, PREPARED)
    under_way = rig.visit()
    block(rig, "a.example")
    rig.frontier.clear(other.host, other.authority, PREPARED)
    rig.frontier.residents.unblock("a.example")
    rig.end(under_way)
    assert len(rig.drain()) == 1


def test_a_block_takes_nothing_away_from_the_delay_after_a_request_that_ended_under_it(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.end(rig.visit())
    rig.clock.advance(1.0)
    under_way = rig.visit()
    rig.clock.advance(100.0)
    block(rig, "a.example")
    rig.end(under_way)
    assert "a.example" not in rig.frontier.residents.hosts
    rig.frontier.residents.unblock("a.example")
    rig.clock.advance(0.9)
    assert rig.next_visit() is None
    rig.clock.advance(0.1)
    assert rig.next_visit() is not None


@pytest.mark.parametrize("authority", ["", "http://a.example"])
@pytest.mark.parametrize("ended_first", [False, True])
def test_a_rest_that_the_server_asks_for_under_a_block_is_kept_after_it(
    rig: Rig, authority: str, ended_first: bool
) -> None:
    rig.put(*urls("a", 2))
    under_way = rig.visit()
    block(rig, "a.example")
    rig.frontier.release(under_way, answered=False)
    if ended_first:
        rig.finish(under_way)
    rig.frontier.hold("a.example", 20.0, "429", authority=authority)
    if not ended_first:
        rig.finish(under_way)
    rig.clock.advance(5.0)
    rig.frontier.residents.unblock("a.example")
    rig.clock.advance(14.0)
    assert rig.next_visit() is None
    rig.clock.advance(1.0)
    assert rig.next_visit() is not None


def test_a_rest_that_is_over_when_the_block_ends_does_not_begin_again(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    rig.end(rig.visit())
    rig.frontier.hold("a.example", 600.0, "it asked for that")
    block(rig, "a.example")
    rig.clock.advance(599.0)
    rig.frontier.residents.unblock("a.example")
    assert rig.next_visit() is None
    rig.clock.advance(1.0)
    assert rig.next_visit() is not None


def test_an_authority_is_prepared_once_although_its_host_is_blocked_and_unblocked_meanwhile(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    turn = rig.preparation()
    block(rig, "a.example")
    rig.frontier.residents.unblock("a.example")
    rig.clock.advance(10.0)
    assert rig.frontier.next() is None, "the first preparation is still under way"
    rig.frontier.clear(turn.host, turn.authority, PREPARED)
    assert rig.drain() == urls("a", 2)


def test_a_preparation_that_a_block_interrupts_is_made_again_after_it(rig: Rig) -> None:
    """Its request for robots.txt is refused by the block, which has ended before the preparation hears of it."""
    rig.put(*urls("a", 1), "https://a.example/2")
    being_read = rig.visit()
    rig.frontier.release(being_read, answered=True)
    rig.clock.advance(1.0)
    turn = rig.preparation()
    robots = rig.side_turn("a.example")
    rig.frontier.ask_for_turn(robots)
    block(rig, "a.example")
    assert isinstance(robots.given.exception(), HostParked)
    rig.frontier.residents.unblock("a.example")
    rig.frontier.fail_preparation(turn.host, turn.authority)
    assert rig.visit().link.url == "https://a.example/2"


def test_a_preparation_that_ends_under_a_block_leaves_nothing_in_memory(rig: Rig) -> None:
    rig.put(*urls("a", 2))
    turn = rig.preparation()
    block(rig, "a.example")
    assert not rig.frontier.has_work()
    rig.frontier.clear(turn.host, turn.authority, PREPARED)
    assert len(rig.frontier.residents.hosts) == 0


def test_an_unblocked_host_may_be_asked_for_its_robots_txt_although_nothing_of_it_is_queued(rig: Rig) -> None:
    turn = rig.side_turn("a.example")
    rig.frontier.ask_for_turn(turn)
    assert rig.frontier.next() is turn
    block(rig, "a.example")
    rig.frontier.release(turn, answered=False)
    rig.frontier.residents.unblock("a.example")
    rig.clock.advance(1.0)
    rig.ask_robots("a.example")


def test_what_an_earlier_run_left_of_a_host_is_tried_again_after_a_block_that_came_before_the_host_did(
    make_rig: MakeRig,
) -> None:
    rig = make_rig(hosts_in_memory=1, delay_s=0.0)
    rig.put(url("a"), "https://a.example/2")
    rig.frontier.park("a.example", 0.0, "connect-refused", authority="https://a.example")
    rig.frontier.hold("a.example", 20.0, "429")
    rig.put(*urls("b", 2))
    rig.restart()
    assert list(rig.frontier.residents.hosts) == ["b.example"]
    block(rig, "a.example")
    rig.frontier.residents.unblock("a.example")
    assert sorted(rig.drain()) == sorted([url("a"), "https://a.example/2", *urls("b", 2)])


def test_however_long_a_delay_is_it_can_be_stored(rig: Rig) -> None:
    rig.put(*urls("a", 3))
    rig.end(rig.visit())
    rig.frontier.residents.set_delay("a.example", 1e300)
    assert rig.drain() == []
    with rig.commit():
        pass
    rig.restart()
    assert rig.drain() == []
