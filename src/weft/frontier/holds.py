"""Who has to rest, and who is left for another run: a host, or one of its authorities.

What is said of a host counts wherever the host is: in memory, left, or asleep on disk, because it made room for others
between a request's end and what follows from it.
"""

from __future__ import annotations

from collections.abc import Callable

from weft.clock import Clock
from weft.errors import HostParked
from weft.frontier.heap import NO_TICKET
from weft.frontier.host import PARKED, Host
from weft.frontier.lane import Lane, label
from weft.frontier.manners import DURABLE_WAIT_S, Manners
from weft.frontier.parked import Parked
from weft.frontier.residents import Residents


class Holds:
    """Where a host belongs after that is the frontier's to say (`place`)."""

    def __init__(
        self, clock: Clock, manners: Manners, parked: Parked, residents: Residents, place: Callable[[Host], None]
    ) -> None:
        self._clock = clock
        self._manners = manners
        self._parked = parked
        self._residents = residents
        self._place = place
        self.on_rest: Callable[[str, float], None] = lambda host, seconds: None  # for others who must know of long ones

    def count_failure(self, name: str, authority: str, began_at: float) -> int:
        """A failure of a host or an authority; returns how often that happened in a row."""
        if (host := self._find(name, 0.0)) is None:
            return 0
        failures = _who(host, authority).count_failure(began_at, self._clock.monotonic())
        if host.name not in self._residents.hosts:
            self._residents.fall_asleep(host)
        return failures

    def hold(self, name: str, seconds: float, why: str, authority: str) -> None:
        """Let the host or the authority rest; park it if that takes longer than a host may wait."""
        if seconds > self._manners.max_host_wait_s:
            self.park(name, seconds, why, authority)
            return
        if (host := self._find(name, seconds)) is None:
            return
        self.on_rest(name, seconds)
        who, now = _who(host, authority), self._clock.monotonic()
        who.held_until = max(who.held_until, now + seconds)
        if host.state is PARKED or (isinstance(who, Lane) and who.parked):
            self._residents.remember(host)
            self._follow(host)
            return
        who.why_held = why
        rest_s = max(host.ready_at(), host.lanes_ready_at()) - now
        if max(rest_s, seconds) >= DURABLE_WAIT_S:
            self._residents.remember(host)
        if not self._residents.makes_room(host, rest_s):
            self._follow(host)

    def park(self, name: str, seconds: float, why: str, authority: str) -> None:
        """Leave the host or the authority for another run, which will not ask it before these seconds are over."""
        if (host := self._find(name, seconds)) is None:
            return
        self.on_rest(name, seconds)
        who, until = _who(host, authority), self._clock.monotonic() + seconds
        if isinstance(who, Lane):
            self.park_lane(host, who, until, why)
            self._follow(host)
            return
        host.held_until = max(host.held_until, until)  # a block takes no rest away
        if host.state is not PARKED:
            host.state = PARKED
            host.ticket = NO_TICKET
            host.why_held = why
            self._parked.add(name, why)
            while host.side_turns:
                host.side_turns.pop(0).given.set_exception(HostParked(f"{name} is left for another run"))
        self._residents.remember(host)
        self.drop_if_parked(host)

    def park_lane(self, host: Host, lane: Lane, until: float, why: str) -> None:
        """Leave one of a host's authorities for another run."""
        if not lane.parked:
            lane.park(why)
            if host.state is not PARKED:
                self._parked.add(label(host.name, lane.authority), why)
        lane.held_until = max(lane.held_until, until)
        self._residents.remember(host)

    def drop_if_parked(self, host: Host) -> None:
        """A host that is left leaves memory as soon as nothing of it is under way; its row knows what it owes."""
        if host.state is PARKED and not host.is_under_way():
            self._residents.remember(host)
            self._residents.drop(host)

    def _find(self, name: str, rest_s: float) -> Host | None:
        """The host, if only as its row tells; None when there is nothing to be remembered of it."""
        return self._residents.hosts.get(name) or self._residents.recall(name, rest_s)

    def _follow(self, host: Host) -> None:
        """Something was said of a host."""
        if host.name in self._residents.hosts:
            self._place(host)
        else:
            self._residents.fall_asleep(host)


def _who(host: Host, authority: str) -> Host | Lane:
    return host.lane_for(authority) if authority else host
