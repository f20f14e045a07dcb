"""Why a URL that is queued is not fetched at this moment.

What the engine has in memory is not on disk: a host that is asked right now looks like one whose turn is next. All else
can be told from its rows: rests of five seconds and more, who is left for another run, and what robots.txt answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from weft.config import CrawlConfig
from weft.explain import by_robots
from weft.explain.by_robots import Robots
from weft.explain.in_queue import Place
from weft.explain.moments import moment, said, span
from weft.explain.result import Counted, Wait, Waiting
from weft.frontier import BLOCKED
from weft.frontier.lane import label, lane_number
from weft.frontier.rows import HostRow, LaneRow
from weft.robots import Access
from weft.stats.verdict import counted
from weft.types import Link
from weft.url import host_of, origin_of


class CrawlNow(NamedTuple):
    """How the crawl itself stands."""

    is_running: bool  # somebody works on it
    go_on: str  # the command that goes on with it …
    control: str  # … and that by which it is steered, without what it is to do
    rests: Mapping[str, str] = MappingProxyType({})  # hosts and authorities that rest longest: why
    limit: str = ""  # what keeps it from being faster; empty: nobody says


class Surroundings(NamedTuple):
    """What a URL's waiting depends on."""

    host: HostRow | None
    robots: Robots | None  # of its authority
    delay_s: float  # of its host
    crawl: CrawlNow
    now: float


class _Why(NamedTuple):
    wait: Wait
    words: str
    until: float = 0.0  # wall time; 0: nobody knows


def waiting(url: str, place: Place | None, config: CrawlConfig, around: Surroundings) -> Waiting:
    """How a URL waits; without a place, it stands behind all that was read of the queue."""
    link = place.link if place is not None else None
    why = _why(url, link, config, around)
    before = place.before if place is not None else None
    attempts = f", after {_tries(link.attempts)}" if link is not None and link.attempts else ""
    return Waiting(
        words=f"waiting in the queue{attempts}: {why.words}{_line(before, why, around.delay_s)}",
        wait=why.wait,
        attempts=link.attempts if link is not None else None,
        before=before or Counted(0, is_more=True),
        until=moment(why.until),
    )


def rest_of(row: HostRow, now: float) -> str:
    """Until when a host rests; empty if it does not."""
    return moment(row.held_until) if row.rest_at(now) > 0 else ""


def _why(url: str, link: Link | None, config: CrawlConfig, around: Surroundings) -> _Why:
    host, authority, row, now = host_of(url), origin_of(url), around.host, around.now
    lane, crawl = _lane(row, authority), around.crawl
    if host in config.blocked_hosts or (row is not None and row.parked == BLOCKED):
        return _Why(Wait.BLOCKED, f"its host is blocked by hand; `{crawl.control} unblock {host}` lets it pass again")
    if row is not None and row.parked:
        return _Why(Wait.HOST_LEFT, _left(host, row.parked, row.held_until, around), row.held_until)
    if lane is not None and lane.parked:
        name = label(host, lane.authority)
        return _Why(Wait.AUTHORITY_LEFT, _left(name, lane.parked, lane.held_until, around), lane.held_until)
    if not crawl.is_running:
        return _Why(Wait.NOT_RUNNING, f"nobody works on the crawl now; `{crawl.go_on}` goes on with it")
    if config.paused:
        return _Why(Wait.PAUSED, f"the crawl is paused; `{crawl.control} resume` goes on with it")
    if link is not None and link.not_before > now:
        return _Why(Wait.RETRY, f"its next try is not before {said(link.not_before)}", link.not_before)
    if row is not None and row.rest_at(now) > around.delay_s:
        until = now + row.rest_at(now)
        return _Why(Wait.HOST_RESTS, f"its host {host} rests until {said(until)}{_because(host, around)}", until)
    if around.robots is not None and around.robots.access is Access.UNREACHABLE:
        until = around.robots.row.expires_at
        words = f"{by_robots.unreachable(around.robots)}; it is asked for again after {said(until)}"
        return _Why(Wait.AUTHORITY_RESTS, words, until)
    if lane is not None and lane.rest_at(now) > 0:
        until = now + lane.rest_at(now)
        after = f" after {counted(lane.failures, 'failure')} in a row" * bool(lane.failures)
        name = label(host, lane.authority)
        words = f"{name} rests until {said(until)}{after}{_because(name, around)}"
        return _Why(Wait.AUTHORITY_RESTS, words, until)
    if by_robots.is_asked(url, config) and (around.robots is None or not around.robots.row.is_fresh(now)):
        again = "again, for the copy at hand is too old" if around.robots is not None else "first"
        return _Why(Wait.PREPARING, f"the address of {host} and {authority}/robots.txt are asked for {again}")
    return _Why(Wait.TURN, f"{host} is asked for one URL after the other, {_delay(around.delay_s)}")


def _lane(row: HostRow | None, authority: str) -> LaneRow | None:
    lanes = row.lanes if row is not None else ()
    return lanes[number] if (number := lane_number(authority, lanes)) < len(lanes) else None


def _left(name: str, why: str, until: float, around: Surroundings) -> str:
    """Whoever is left for another run, and what brings it back."""
    goes_on = f"`{around.crawl.go_on}` tries it again"
    when = f", not before {said(until)}" if until > around.now else ""
    after = " when this run has ended" * around.crawl.is_running
    return f"{name} is left for another run ({why}); {goes_on}{after}{when}"


def _because(name: str, around: Surroundings) -> str:
    """Why somebody rests, if anything tells it."""
    row = around.robots.row if around.robots is not None else None
    if row is not None and row.asked_rest_s:
        return f": its robots.txt was answered with status {row.status}"
    return f": {why}" if (why := around.crawl.rests.get(name)) else ""


def _delay(delay_s: float) -> str:
    return f"{delay_s:g} s apart" if delay_s else "without a delay"


def _tries(attempts: int) -> str:
    return f"{attempts:,} {'try' if attempts == 1 else 'tries'} that failed"


def _line(before: Counted | None, why: _Why, delay_s: float) -> str:
    """Where it stands among the URLs of its host."""
    if before is None:
        return "; it stands so far behind others of its host that its place was not looked for"
    if not before.count:
        return (
            "; it is the next one, or asked for right now" if why.wait is Wait.TURN else "; it is its host's next one"
        )
    takes = f", which takes {span(before.count * delay_s)} at least" * (why.wait is Wait.TURN and delay_s > 0)
    stands = "stands" if before.count == 1 and not before.is_more else "stand"
    return f"; {before} of its host {stands} before it{takes}"
