"""How a crawl may stand, made up."""

from __future__ import annotations

from math import inf
from typing import Any

import msgspec

from weft.dns import DnsStatistics
from weft.pipeline.halts import Halt
from weft.pipeline.progress import HostStates, HostWait, Progress, RobotsFigures
from weft.stats import Counters
from weft.stats.counters import Span

MIB = 1024 * 1024


def hosts(*, ready: int = 0, busy: int = 0, waiting: int = 0, preparing: int = 0, left: int = 0) -> HostStates:
    """Hosts by state; all of them are in memory."""
    return HostStates(ready + busy + waiting + preparing, ready, busy, waiting, preparing, left)


def answered(times: int, *, wait_s: float, receive_s: float = 0.0) -> Counters:
    """Counters after this many pages, each of which took so long."""
    return Counters(
        requests=times, pages=times,
        stages={"wait": Span(times, times * wait_s), "receive": Span(times, times * receive_s)},
    )  # fmt: skip


def a_progress(**changes: Any) -> Progress:
    """A crawl at a moment in which nothing happens, but for these changes."""
    quiet = Progress(
        counters=Counters(),
        hosts=hosts(),
        halt=Halt.NO_HOST,
        visiting=0,
        asking=0,
        slots=128,
        preparing=0,
        parsing=0,
        workers=2,
        worker_pids=[],
        body_bytes=0,
        most_body_bytes=64 * MIB,
        balance=[],
        readings=[],
        period_s=1.0,
        dns=DnsStatistics(0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0),
        robots=RobotsFigures(0, 0),
        waiting=[],
        rests={},
        polite_rate=inf,
        parked={},
    )
    return msgspec.structs.replace(quiet, **changes)


def held(why: str, rest_s: float = 60.0, name: str = "slow.example") -> HostWait:
    """A host that rests for a reason."""
    return HostWait(name, rest_s, why)
