"""Why a URL waits: told from rows that the frontier itself has written, for each state that its host can be in."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import pytest

from weft.explain import in_queue
from weft.explain.log_tail import tries_of
from weft.explain.moments import moment
from weft.explain.result import Counted, HostExplanation, State, UrlExplanation, Wait, Waiting
from weft.frontier import Clearance, HostState, Preparation
from weft.frontier.host import Host
from weft.robots import Access, RobotsRow
from weft.types import Link, Outcome, Visit

from .crawls import HOME, HOST, Written, written

AUTHORITY = f"http://{HOST}"
PAGE, NEXT = f"{HOME}page", f"{HOME}next"
ANSWERED = Clearance(("192.0.2.1",), holds_s=1e6)
HOURS = 3600.0


def wait_of(found: UrlExplanation) -> Waiting:
    assert found.state is State.WAITING
    assert found.waiting is not None
    return found.waiting


def with_robots(crawl: Written, access: Access = Access.ALLOW_ALL, status: int = 404) -> None:
    now = crawl.clock.wall()
    crawl.put_robots(RobotsRow(access, now, now + 24 * HOURS, status))


def prepared(crawl: Written) -> None:
    """Its address and its robots.txt are known."""
    assert isinstance(crawl.frontier.next(), Preparation)
    with_robots(crawl)
    crawl.frontier.clear(HOST, AUTHORITY, ANSWERED)


def asked(crawl: Written) -> Visit:
    prepared(crawl)
    visit = crawl.frontier.next()
    assert isinstance(visit, Visit)
    return visit


# ── every state of a host ──


def preparing(crawl: Written) -> None:
    assert isinstance(crawl.frontier.next(), Preparation)


def ready(crawl: Written) -> None:
    prepared(crawl)


def busy(crawl: Written) -> None:
    asked(crawl)


def waits(crawl: Written) -> None:
    prepared(crawl)
    crawl.frontier.hold(HOST, 600.0, "status 503")


def parked(crawl: Written) -> None:
    prepared(crawl)
    crawl.frontier.park(HOST, 7200.0, "status 503")


def empty(crawl: Written) -> None:
    crawl.frontier.release(visit := asked(crawl), answered=True)
    batch = crawl.ledger.batch()
    crawl.ledger.finish(batch, visit, Outcome.RESPONSE)
    crawl.ledger.write(batch)


MADE: dict[HostState, Callable[[Written], None]] = {
    HostState.PREPARING: preparing,
    HostState.READY: ready,
    HostState.WAITING: waits,
    HostState.BUSY: busy,
    HostState.EMPTY: empty,
    HostState.PARKED: parked,
}
TOLD = {
    HostState.PREPARING: (
        Wait.PREPARING,
        f"waiting in the queue: the address of {HOST} and {AUTHORITY}/robots.txt are asked for first; it is its host's "
        "next one",
    ),
    HostState.READY: (
        Wait.TURN,
        f"waiting in the queue: {HOST} is asked for one URL after the other, 1 s apart; it is the next one, or asked "
        "for right now",
    ),
    HostState.WAITING: (
        Wait.HOST_RESTS,
        f"waiting in the queue: its host {HOST} rests until 2027-01-15 08:10:00 UTC; it is its host's next one",
    ),
    HostState.PARKED: (
        Wait.HOST_LEFT,
        f"waiting in the queue: {HOST} is left for another run (status 503); `weft resume crawl` tries it again when "
        "this run has ended, not before 2027-01-15 10:00:00 UTC; it is its host's next one",
    ),
}
TOLD[HostState.BUSY] = TOLD[HostState.READY]  # which requests are under way is not on disk
OF_HOST = {
    HostState.PREPARING: "its next URL may be asked for now, or is being asked for",
    HostState.READY: "its next URL may be asked for now, or is being asked for",
    HostState.BUSY: "its next URL may be asked for now, or is being asked for",
    HostState.WAITING: "it is asked again at 2027-01-15 08:10:00 UTC",
    HostState.EMPTY: "nothing of it waits",
    HostState.PARKED: "it is left for another run (status 503): `weft resume crawl` tries it again",
}


def brought_into(crawl: Written, state: HostState) -> Host:
    """A crawl whose one host is in this state."""
    crawl.schedule(Link(PAGE, 1, via=HOME), *(() if state is HostState.EMPTY else (Link(NEXT, 1, via=HOME),)))
    host = crawl.frontier.residents.hosts[HOST]
    MADE[state](crawl)
    assert host.state is state
    return host


@pytest.mark.parametrize("state", HostState)
def test_each_state_of_a_host_is_told_to_who_asks_for_a_url(state: HostState, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        brought_into(crawl, state)
        found = crawl.explain(PAGE)
    if state is HostState.EMPTY:  # nothing waits there
        assert found.state is State.VISITED
    else:
        assert (wait_of(found).wait, found.words) == TOLD[state]


@pytest.mark.parametrize("state", HostState)
def test_each_state_of_a_host_is_told_to_who_asks_for_the_host(state: HostState, tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        brought_into(crawl, state)
        found = crawl.explain_host()
    assert isinstance(found, HostExplanation)
    assert found.words.endswith(f"; {OF_HOST[state]}")
    assert found.queued == Counted(0 if state is HostState.EMPTY else 2)


# ── other reasons to wait ──


def authority_rests(crawl: Written) -> None:
    prepared(crawl)
    crawl.frontier.count_failure(HOST, AUTHORITY)
    crawl.frontier.hold(HOST, 600.0, "connect-refused", authority=AUTHORITY)


def authority_left(crawl: Written) -> None:
    prepared(crawl)
    crawl.frontier.park(HOST, 0.0, "tls-certificate", authority=AUTHORITY)


def robots_unreachable(crawl: Written) -> None:
    with_robots(crawl, Access.UNREACHABLE, status=503)


def robots_too_old(crawl: Written) -> None:
    with_robots(crawl)
    crawl.clock.advance(25 * HOURS)


def tried(crawl: Written) -> None:
    visit = asked(crawl)
    crawl.frontier.release(visit, answered=False)
    batch = crawl.ledger.batch()
    crawl.ledger.retry(batch, visit, 30.0, Outcome.RESET)
    crawl.ledger.write(batch)


@pytest.mark.parametrize(
    ("made", "wait", "words"),
    [
        (authority_rests, Wait.AUTHORITY_RESTS, f"{AUTHORITY} rests until 2027-01-15 08:10:00 UTC after 1 failure in"),
        (authority_left, Wait.AUTHORITY_LEFT, f"{AUTHORITY} is left for another run (tls-certificate); `weft resume"),
        (
            robots_unreachable,
            Wait.AUTHORITY_RESTS,
            f"{AUTHORITY}/robots.txt cannot be read (its server answered with status 503), and until it can nothing is "
            "fetched that it might forbid; it is asked for again after 2027-01-16 08:00:00 UTC",
        ),
        (robots_too_old, Wait.PREPARING, "are asked for again, for the copy at hand is too old"),
        (tried, Wait.RETRY, "queue, after 1 try that failed: its next try is not before 2027-01-15 08:00:30 UTC"),
    ],
)  # fmt: skip
def test_other_reasons_to_wait_are_told(
    made: Callable[[Written], None], wait: Wait, words: str, tmp_path: Path
) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(PAGE, 1, via=HOME))
        made(crawl)
        found = crawl.explain(PAGE)
    assert wait_of(found).wait is wait
    assert words in found.words


def test_of_a_crawl_that_nobody_works_on_the_command_is_told_that_goes_on(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(PAGE, 1, via=HOME))
        found = crawl.explain(PAGE, is_running=False)
        of_host = crawl.explain_host(is_running=False)
    assert wait_of(found).wait is Wait.NOT_RUNNING
    assert "nobody works on the crawl now; `weft resume crawl` goes on with it" in found.words
    assert of_host.words.endswith("nobody works on the crawl now: `weft resume crawl` goes on with it")


@pytest.mark.parametrize(
    ("settings", "wait", "words"),
    [
        ({"paused": True}, Wait.PAUSED, "the crawl is paused{}`weft control crawl resume` goes on with it"),
        (
            {"blocked_hosts": (HOST,)},
            Wait.BLOCKED,
            f"blocked by hand{{}}`weft control crawl unblock {HOST}` lets it pass again",
        ),
    ],
)
def test_what_a_person_has_said_is_told_with_how_to_take_it_back(
    settings: dict[str, Any], wait: Wait, words: str, tmp_path: Path
) -> None:
    with written(tmp_path / "crawl", **settings) as crawl:
        crawl.schedule(Link(PAGE, 1, via=HOME))
        with_robots(crawl)
        found, of_host = crawl.explain(PAGE), crawl.explain_host()
    assert wait_of(found).wait is wait
    assert words.format("; ") in found.words
    assert words.format(": ") in of_host.words


@pytest.mark.parametrize("made", [waits, authority_rests])
def test_why_somebody_rests_is_told_if_the_crawl_tells_it(made: Callable[[Written], None], tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(PAGE, 1, via=HOME))
        made(crawl)
        crawl.rests = {HOST: "status 503", AUTHORITY: "connect-refused"}
        found = crawl.explain(PAGE)
    assert (": status 503;" if made is waits else "in a row: connect-refused;") in found.words


def test_what_limits_the_crawl_is_told_of_a_url_whose_turn_may_come(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(PAGE, 1, via=HOME))
        with_robots(crawl)
        crawl.limit = "politeness: 12 of 14 hosts rest"
        assert crawl.explain(PAGE).remarks == ["what limits the crawl now: politeness: 12 of 14 hosts rest"]


def test_tries_that_failed_are_told_from_the_log(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(PAGE, 1, via=HOME), Link(f"{PAGE}/longer", 1, via=PAGE))
        tried(crawl)
        found = crawl.explain(PAGE)
        other = crawl.explain(f"{PAGE}/longer")
    assert [(one.at, one.words) for one in found.tries] == [("2027-01-15T08:00:00.000Z", "reset, retry in 30.0 s")]
    assert other.tries == []


def test_of_a_long_log_the_end_is_read_and_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "crawl.log"
    line = '{"time":"2027-01-15T08:00:%02d.000Z","status":500,"outcome":"response","bytes":0,"url":"%s"}\n'
    log.write_text("".join(line % (second, PAGE) for second in range(60)) + '{"time":"x","url":"' + PAGE + '"')
    assert [one.at[17:19] for one in tries_of([log, tmp_path / "nowhere"], PAGE)] == [str(n) for n in range(50, 60)]
    assert len(tries_of([log], PAGE, most_bytes=450)) == 3


def test_every_reason_to_wait_has_a_test() -> None:
    elsewhere = {wait for wait, _ in TOLD.values()}
    here = {Wait.AUTHORITY_RESTS, Wait.AUTHORITY_LEFT, Wait.RETRY, Wait.NOT_RUNNING, Wait.PAUSED, Wait.BLOCKED}
    assert elsewhere | here == set(Wait)


# ── its place ──


def test_a_url_is_told_with_how_many_of_its_host_stand_before_it(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", delay_s=2.0) as crawl:
        with_robots(crawl)
        crawl.schedule(*(Link(f"{HOME}{number}", 1, via=HOME) for number in range(100)), Link("http://b.test/", 1))
        found = crawl.explain(f"{HOME}30")
    assert wait_of(found).before == Counted(30)
    assert found.words.endswith("2 s apart; 30 of its host stand before it, which takes 60 s at least")


def test_those_of_other_ports_of_the_host_stand_before_it_as_well(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        crawl.schedule(Link(f"http://{HOST}:8080/", 1), Link(PAGE, 1), Link(f"http://{HOST}:8080/later", 1))
        assert wait_of(crawl.explain(PAGE)).before == Counted(1)
        assert wait_of(crawl.explain(f"http://{HOST}:8080/later")).before == Counted(2)


@pytest.mark.parametrize("settings", [{}, {"patience": 1000}])
def test_a_host_with_very_many_urls_is_not_read_to_its_end(settings: dict[str, int], tmp_path: Path) -> None:
    with written(tmp_path / "crawl", **settings) as crawl:
        with_robots(crawl)
        crawl.schedule(*(Link(f"{HOME}{number}", 1, via=HOME) for number in range(100)))
        near = in_queue.look_up(crawl.state, f"{HOME}9", most_rows=20)
        far = in_queue.look_up(crawl.state, f"{HOME}90", most_rows=20)
    assert near.place is not None
    assert near.place.before == Counted(9)
    if settings:  # where each URL stands is kept: it is found, and only those before it are not all counted
        assert far.place is not None
        assert far.place.before == Counted(20, is_more=True)
    else:
        assert (far.place, far.is_cut) == (None, True)


def test_a_url_that_stands_too_far_behind_is_known_to_wait_all_the_same(tmp_path: Path) -> None:
    with written(tmp_path / "crawl") as crawl:
        with_robots(crawl)
        crawl.schedule(*(Link(f"{HOME}{number}", 1, via=HOME) for number in range(100)))
        found = crawl.explain(f"{HOME}90", most_rows=20)
    assert wait_of(found).attempts is None
    assert found.words.endswith("it stands so far behind others of its host that its place was not looked for")


@pytest.mark.parametrize("delay_s", [0.0, 5.0])
def test_a_host_is_told_with_its_delay_and_who_asks_for_it(delay_s: float, tmp_path: Path) -> None:
    with written(tmp_path / "crawl", delay_s=delay_s) as crawl:
        own = crawl.explain_host()
        now = crawl.clock.wall()
        body = b"User-agent: other\nCrawl-delay: 99\n\nUser-agent: *\nCrawl-delay: 7\nDisallow: /x\n"
        crawl.put_robots(RobotsRow(Access.RULES, now, now + HOURS, 200, body=body, fetched_at=now))
        asked = crawl.explain_host()
    assert (own.delay_s, asked.delay_s) == (delay_s, 7.0)
    assert f"--delay {delay_s:g}" in own.delay
    assert asked.delay == f"{AUTHORITY}/robots.txt asks for it (Crawl-delay), and --delay for {delay_s:g} s only"
    (robots,) = asked.robots
    assert [(line.number, line.text) for line in robots.lines] == [(6, "Disallow: /x")]
    assert (robots.status, robots.asked_at, robots.holds_until) == (200, "2027-01-15T08:00:00Z", "2027-01-15T09:00:00Z")
    assert robots.words.startswith("it came at 2027-01-15 08:00:00 UTC and has 1 line for this crawl and asks for 7 s")


def test_a_delay_that_was_set_by_hand_is_told_as_such(tmp_path: Path) -> None:
    with written(tmp_path / "crawl", host_delays=((HOST, 9.0),)) as crawl:
        found = crawl.explain_host()
    assert (found.delay_s, found.delay) == (9.0, "it was set by hand for this host (`weft control`)")


def test_a_time_that_is_none_has_no_words() -> None:
    assert (moment(0.0), moment(1e300), moment(inf)) == ("", "", "")
