"""The figures of one run."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import msgspec

from weft.stats.figures import LeftOut

if TYPE_CHECKING:  # who only looks on need not load the engine
    from weft.pipeline.crawl import Crawl

KIB = 1024
RUNNING = "running"  # in the place of its ending


class Summary(msgspec.Struct, kw_only=True):
    """The figures of one run: what `--json` prints, and report.json holds. CPU and memory are the whole process's."""

    pages: int
    requests: int
    bytes: int
    seconds: float
    pages_per_s: float
    cpu_s: float
    engine_cpu_s: float
    workers_cpu_s: float
    peak_rss_bytes: int
    redirects: int
    retries: int
    queued: int
    refused: dict[str, int]
    left_out: list[LeftOut]
    failed: dict[str, int]
    statuses: dict[str, int]
    parked: int
    exit: str
    items: int = 0  # that functions made, in items.jsonl
    calls_failed: int = 0  # of these functions


def cpu_s(usage: resource.struct_rusage) -> float:
    """Of the program and of the kernel for it."""
    return usage.ru_utime + usage.ru_stime


def summary_of(crawl: Crawl, ending: str, seconds: float) -> Summary:
    """The figures of a run, up to now or to its end."""
    counters = crawl.counters
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    others_s, others_workers_s = crawl.cpu_of_other_engines()
    engine_cpu_s, workers_cpu_s = cpu_s(own) + others_s, max(0.0, cpu_s(children) + others_workers_s)
    return Summary(
        pages=counters.pages,
        requests=counters.requests,
        bytes=counters.bytes,
        seconds=round(seconds, 3),
        pages_per_s=round(crawl.pages_per_s, 1),
        cpu_s=round(engine_cpu_s + workers_cpu_s, 3),
        engine_cpu_s=round(engine_cpu_s, 3),
        workers_cpu_s=round(workers_cpu_s, 3),
        # The largest worker stands for each of them: the kernel tells no more.
        peak_rss_bytes=(own.ru_maxrss + children.ru_maxrss * crawl.worker_slots) * KIB,
        redirects=counters.redirects,
        retries=counters.retries,
        queued=counters.queued,
        refused={str(name): count for name, count in counters.refused.items() if count},
        left_out=crawl.left_out,
        failed={str(name): count for name, count in counters.failed.items() if count},
        statuses={str(status): count for status, count in sorted(counters.statuses.items())},
        parked=crawl.parked.count,
        exit=ending,
        items=crawl.items,
        calls_failed=counters.items_failed,
    )
