"""How the engines of a crawl stand, as one: what can be added is added, of lists the first ones are shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import chain
from operator import attrgetter

import msgspec

from weft.dns import DnsStatistics
from weft.frontier import Parked
from weft.pipeline.progress import HOSTS_NAMED, HostStates, Progress, RobotsFigures
from weft.stats.counters import added_up
from weft.workers.balance import Reading


def joined(parts: Sequence[Progress]) -> Progress:
    """The progress of all engines; engine 0's, the first one, says why nothing begins and what its balancer thinks."""
    first = parts[0]
    # An engine that waits for hosts says little: what holds back another is told instead.
    busiest = max(parts, key=lambda part: part.visiting + part.parsing)
    return msgspec.structs.replace(
        first,
        counters=added_up(part.counters for part in parts),
        hosts=HostStates(*_sums(part.hosts for part in parts)),
        halt=busiest.halt,
        **{
            name: sum(getattr(part, name) for part in parts)
            for name in (
                "visiting", "asking", "slots", "preparing", "parsing", "workers", "body_bytes", "most_body_bytes",
                "polite_rate", "workers_died",
            )
        },
        worker_pids=list(chain.from_iterable(part.worker_pids for part in parts)),
        readings=_readings(parts),
        period_s=max(part.period_s for part in parts),
        dns=_dns([part.dns for part in parts]),
        robots=RobotsFigures(*_sums(part.robots for part in parts)),
        waiting=nlargest(HOSTS_NAMED, chain.from_iterable(part.waiting for part in parts), key=attrgetter("rest_s")),
        rests=_added(part.rests for part in parts),
        parked=dict(chain.from_iterable(part.parked.items() for part in parts)),
    )  # fmt: skip


def parked_of(counts: Iterable[tuple[int, dict[str, str]]]) -> Parked:
    """Hosts and authorities that the engines left for another run: how many, and the first ones by name."""
    parked = Parked()
    for count, reasons in counts:
        parked.count += count
        parked.reasons |= reasons
    return parked


def _sums(structs: Iterable[msgspec.Struct]) -> list[int]:
    return [sum(of_all) for of_all in zip(*map(msgspec.structs.astuple, structs), strict=True)]


def _added(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for name, count in chain.from_iterable(one.items() for one in counts):
        total[name] = total.get(name, 0) + count
    return total


def _dns(parts: Sequence[DnsStatistics]) -> DnsStatistics:
    total = DnsStatistics(*_sums(parts))
    spent_ms = sum(part.mean_query_ms * part.queries for part in parts)
    return msgspec.structs.replace(total, mean_query_ms=spent_ms / total.queries if total.queries else 0.0)


def _readings(parts: Sequence[Progress]) -> list[Reading]:
    """Of each stage; engines whose stages have not been read yet are left out."""
    by_name: dict[str, list[Reading]] = {}
    for reading in chain.from_iterable(part.readings for part in parts):
        by_name.setdefault(reading.name, []).append(reading)
    return [_added_reading(same) for same in by_name.values()]


def _added_reading(same: Sequence[Reading]) -> Reading:
    added = ("workers", "most", "done", "idle_s", "blocked_s", "buffer", "buffer_before", "buffer_bytes", "failed")
    sums = {name: sum(getattr(one, name) for one in same) for name in added}
    return msgspec.structs.replace(same[0], **sums, cpu_share=max(one.cpu_share for one in same))
