"""What a server was asked for again because of a kill.

A crawl that is killed asks again for what was in flight: responses on their way, and those that waited for a worker
or for their commit. That is bounded by its slots and buffers. Whatever else is asked for twice is a fault, but for
what the server itself let go wrong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from weft.config import CrawlConfig
from weft.pipeline.engine import JOBS_WAITING_PER_WORKER
from weft.simweb import Request
from weft.simweb.requestlog import UNFINISHED
from weft.workers.worker_process import CREDIT_TASKS

NO_KILL = -1
# What the server reads so soon after a kill was sent before it: no engine starts as fast.
SERVER_IS_LATE_S = 0.1


def refetches_by_kill(by_url: Mapping[str, Iterable[Request]], kills_at: Sequence[float]) -> Counter[int]:
    """How many requests each kill brought about, by its number; under NO_KILL those that none explains.

    `kills_at` are times of the monotonic clock, in order, of kills of the engine.
    """
    found: Counter[int] = Counter()
    for requests in by_url.values():
        for earlier, later in pairwise(sorted(requests, key=lambda request: request.started_at)):
            kill = _first_between(kills_at, earlier.started_at, later.started_at)
            # A response that the crawler did not wait for, without a kill, is one that took it too long.
            if earlier.whole or (earlier.fault == UNFINISHED and kill != NO_KILL):
                found[kill] += 1
    return found


def most_in_flight(config: CrawlConfig) -> int:
    """Slots and buffers: what can be fetched, or on its way, and not yet committed."""
    return config.connections + config.workers * (JOBS_WAITING_PER_WORKER + CREDIT_TASKS)


def _first_between(kills_at: Sequence[float], start: float, end: float) -> int:
    number = bisect_left(kills_at, start - SERVER_IS_LATE_S)
    return number if number < len(kills_at) and kills_at[number] <= end else NO_KILL
