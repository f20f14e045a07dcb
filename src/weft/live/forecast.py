"""How near a crawl is to its limits, and when it will be there. Of a crawl without limits nobody knows the end."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from weft.config import CrawlConfig
from weft.live.status import Limit, Rates
from weft.stats import Counters


def limit_of(counters: Counters, config: CrawlConfig, run_s: float, rates: Rates) -> Limit | None:
    """The limit that will be reached first; None if there is none. `run_s` is how long this run has taken."""
    return min(_limits(counters, config, run_s, rates), key=_nearness, default=None)


def _limits(counters: Counters, config: CrawlConfig, run_s: float, rates: Rates) -> Iterator[Limit]:
    if config.max_pages is not None:
        yield _limit("pages", counters.pages, config.max_pages, rates.pages)
    if config.max_bytes is not None:
        yield _limit("bytes", counters.bytes + counters.unpacked_bytes, config.max_bytes, rates.bytes)
    if config.max_time_s is not None:  # of each run
        yield _limit("time", run_s, config.max_time_s, 1.0)


def _limit(name: str, done: float, of: float, per_s: float) -> Limit:
    left = max(0.0, of - done)
    left_s = 0.0 if not left else left / per_s if per_s > 0 else None
    return Limit(name, done, of, round(100 * min(1.0, done / of), 1) if of else 100.0, left_s)


def _nearness(limit: Limit) -> tuple[float, float]:
    return (inf if limit.left_s is None else limit.left_s, -limit.percent)
