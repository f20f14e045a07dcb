"""What a host is owed does not end with the run, nor with a second authority."""

from __future__ import annotations

from collections.abc import Callable

from tests.frontier.rig import ADDRESS, PREPARED, Rig, url, urls
from weft.frontier import Clearance, Preparation

MakeRig = Callable[..., Rig]
HOST = "a.example"
SLOW = Clearance((ADDRESS,), 100_000.0, delay_s=90.0)


def test_links_to_a_host_that_was_first_met_by_a_side_turn_are_found_again_after_a_restart(rig: Rig) -> None:
    rig.ask_robots("b.example")  # the robots.txt of another site redirects there
    rig.put(url("b", 0))
    rig.restart()
    assert rig.drain() == [url("b", 0)]


def test_a_host_whose_delay_is_longer_than_a_run_waits_gets_its_page_in_a_later_run(rig: Rig) -> None:
    slow = Clearance((ADDRESS,), 100_000.0, delay_s=7200.0)
    rig.put(*urls("a", 2))
    turn = rig.preparation()
    rig.ask_robots(HOST)
    rig.frontier.clear(HOST, turn.authority, slow)
    assert HOST in rig.frontier.parked.reasons
    with rig.commit():
        pass
    rig.clock.advance(8000)
    rig.restart()
    rig.frontier.clear(HOST, rig.preparation().authority, slow)
    assert rig.visit().host == HOST


def test_the_delay_of_one_authority_holds_for_the_whole_host(rig: Rig) -> None:
    rig.put("http://a.example/0", "https://a.example/1", "http://a.example/2")
    rig.frontier.clear(HOST, rig.preparation().authority, SLOW)
    rig.end(rig.visit())
    rig.clock.advance(90)
    rig.frontier.clear(HOST, rig.preparation().authority, PREPARED)
    rig.end(rig.visit())
    rig.clock.advance(89)
    assert rig.frontier.next() is None
    rig.clock.advance(1)
    assert rig.frontier.next() is not None


def test_a_rest_on_disk_is_as_long_as_the_delay_of_robots_txt(make_rig: MakeRig) -> None:
    rig = make_rig(hosts_in_memory=1)
    rig.put(*urls("a", 3))
    rig.put(url("b", 0))  # sleeps on disk
    rig.frontier.clear(HOST, rig.preparation().authority, SLOW)
    rig.end(rig.visit())
    rig.frontier.hold(HOST, 40.0, "status 503")  # shorter than the delay; the host makes room
    for _ in range(89):
        turn = rig.frontier.next()
        if isinstance(turn, Preparation):
            rig.frontier.clear(turn.host, turn.authority, SLOW if turn.host == HOST else PREPARED)
        else:
            assert turn is None or turn.host != HOST
            rig.clock.advance(1)


def test_visits_that_need_no_request_do_not_keep_an_address_busy(make_rig: MakeRig) -> None:
    rig = make_rig(address_interval_s=10.0)
    rig.put(*urls("a", 5))
    for _ in range(5):
        visit = rig.visit()
        rig.frontier.cancel(visit)
        rig.finish(visit)
    assert not rig.frontier.has_work()


def test_a_clock_that_was_set_back_does_not_make_a_run_wait_for_days(rig: Rig) -> None:
    rig.put(url("a"))
    visit = rig.visit()
    rig.frontier.release(visit, answered=False)
    rig.retry(visit, 5.0)
    rig.clock.wall = lambda: rig.clock.now - 86_400.0  # type: ignore[method-assign]
    rig.clock.advance(10)
    assert rig.next_visit() is None
    assert "http://a.example" in rig.frontier.parked.reasons
