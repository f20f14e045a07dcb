"""How a crawl stands: the one value that terminal, dashboard and metrics are made of."""

from __future__ import annotations

from collections import Counter
from heapq import nlargest
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

import msgspec

from weft.dns import DnsStatistics
from weft.frontier import Frontier, HostState
from weft.frontier.lane import label
from weft.pipeline.halts import Halt
from weft.stats import Counters
from weft.workers.balance import Decision, Reading

if TYPE_CHECKING:
    from weft.frontier.host import Host

HOSTS_NAMED = 20
HOSTS_LOOKED_AT = 2_000
BETWEEN_REQUESTS = "between two requests"
RETRY = "before its next try"
ADDRESS = "others at its address come first"


class HostStates(msgspec.Struct, frozen=True):
    """How many hosts are in which state; those that sleep on disk are not counted."""

    in_memory: int
    ready: int  # may be asked
    busy: int  # have as many requests under way as they may
    waiting: int  # rest, or wait for their address
    preparing: int  # are looked up, or asked for robots.txt
    left: int  # with authorities: for another run


class HostWait(msgspec.Struct, frozen=True):
    """A host, or an authority, that is not asked now."""

    name: str
    rest_s: float  # how much longer; 0: that is not known
    why: str


class RobotsFigures(msgspec.Struct, frozen=True):
    """Of this run."""

    asked: int  # requests for robots.txt that have ended
    known: int  # authorities whose rules are in memory


class Progress(msgspec.Struct, frozen=True):
    """A crawl at a moment."""

    counters: Counters  # totals over all runs; they go on counting
    hosts: HostStates
    halt: Halt  # why no request begins
    visiting: int  # requests for pages under way …
    asking: int  # … for robots.txt …
    slots: int  # … and how many there may be
    preparing: int  # authorities that are looked up or asked for robots.txt
    parsing: int  # pages with the parse workers, or on the way there
    workers: int  # parse workers wanted
    worker_pids: list[int]
    body_bytes: int  # of bodies in memory …
    most_body_bytes: int  # … and how many may be
    balance: list[Decision]  # what the balancer decided last, a stage each …
    readings: list[Reading]  # … by these; empty where the numbers are fixed …
    period_s: float  # … over this time
    dns: DnsStatistics
    robots: RobotsFigures
    waiting: list[HostWait]  # the longest rests first
    rests: dict[str, int]  # how many hosts are held for which reason, of the first that came into memory
    polite_rate: float  # requests a second that the delays of the hosts with work allow; inf: no host has one
    parked: dict[str, str]  # hosts and authorities left for another run, the first ones: why
    workers_died: int = 0  # parse workers, over all runs


def waits_of(frontier: Frontier, now: float) -> list[HostWait]:
    """The hosts in memory that rest longest, and why; of very many, the first to come into memory are looked at."""
    waiting = (host for host in frontier.residents.hosts.values() if host.state is HostState.WAITING)
    longest = nlargest(HOSTS_NAMED, islice(waiting, HOSTS_LOOKED_AT), key=_asked_again_at)
    return [_wait_of(host, now) for host in longest]


def rests_of(frontier: Frontier, now: float) -> dict[str, int]:
    """How many hosts in memory rest for another reason than manners, by the reason; of very many, as above."""
    waiting = (host for host in frontier.residents.hosts.values() if host.state is HostState.WAITING)
    held = (_held(host, now) for host in islice(waiting, HOSTS_LOOKED_AT))
    return dict(Counter(why for _, why in filter(None, held)))


def states_and_rate(frontier: Frontier, now: float) -> tuple[HostStates, float]:
    """How many hosts are in which state; and the requests a second that the delays of those with work allow.

    The rate is inf where a host has no delay. One loop, because it is the only one over all hosts in memory.
    """
    rate, ready, busy, waiting, preparing = 0.0, 0, 0, 0, 0
    for host in frontier.residents.hosts.values():
        state = host.state
        if state is HostState.WAITING:
            waiting += 1
        elif state is HostState.BUSY:
            busy += 1
        elif state is HostState.READY:
            ready += 1
        else:
            preparing += state is HostState.PREPARING
            continue
        if host.held_until <= now:
            rate += 1 / host.delay_s if host.delay_s else inf
    in_memory = len(frontier.residents.hosts)
    return HostStates(in_memory, ready, busy, waiting, preparing, frontier.parked.count), rate


def _asked_again_at(host: Host) -> float:
    return max(host.ready_at(), host.lanes_ready_at())


def _wait_of(host: Host, now: float) -> HostWait:
    at = _asked_again_at(host)
    rest_s = max(0.0, at - now) if at < inf else 0.0
    if (held := _held(host, now)) is not None:
        name, why = held
        return HostWait(name, round(rest_s, 1), why)
    if not rest_s:
        return HostWait(host.name, 0.0, ADDRESS)
    return HostWait(host.name, round(rest_s, 1), BETWEEN_REQUESTS if host.ready_at() >= at else RETRY)


def _held(host: Host, now: float) -> tuple[str, str] | None:
    """Who of a host rests for a reason, and for which: it, or one of its authorities."""
    if host.why_held and host.held_until > now:
        return host.name, host.why_held
    for lane in host.lanes:
        if lane.why_held and lane.held_until > now:
            return label(host.name, lane.authority), lane.why_held
    return None
