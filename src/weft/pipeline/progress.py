"""How a crawl stands: the one value that terminal, live view and metrics are made of."""

from __future__ import annotations

import msgspec

from weft.stats import Counters
from weft.workers.balance import Decision


class HostStates(msgspec.Struct, frozen=True):
    """How many hosts are in which state; those that sleep on disk are not counted."""

    in_memory: int
    ready: int  # may be asked
    busy: int  # have as many requests under way as they may
    waiting: int  # rest, or wait for their address
    preparing: int  # are looked up, or asked for robots.txt
    left: int  # with authorities: for another run


class Progress(msgspec.Struct, frozen=True):
    """A crawl at a moment."""

    counters: Counters  # totals over all runs; they go on counting
    hosts: HostStates
    bottleneck: str  # what limits it now, in words
    visiting: int  # requests for pages under way …
    asking: int  # … for robots.txt …
    slots: int  # … and how many there may be
    preparing: int  # authorities that are looked up or asked for robots.txt
    parsing: int  # pages with the parse workers, or on the way there
    workers: int  # parse workers wanted
    worker_pids: list[int]
    body_bytes: int  # of bodies in memory
    balance: list[Decision]  # what the balancer decided last, a stage each
