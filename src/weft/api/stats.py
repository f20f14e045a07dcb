"""How a crawl stands, for the program that runs it."""

from __future__ import annotations

from typing import Literal

import msgspec

from weft.pipeline.crawl import Crawl

State = Literal["new", "running", "stopping", "ended"]


class Stats(msgspec.Struct, frozen=True):
    """A crawl at a moment. What has the name of a figure of `weft.Summary` counts the same: over all runs."""

    state: State
    seconds: float = 0.0  # since this run began
    pages: int = 0  # responses with a 2xx status
    requests: int = 0  # that have ended, robots.txt included
    bytes: int = 0  # received
    redirects: int = 0
    retries: int = 0
    queued: int = 0  # URLs that wait for their turn, or are under way
    under_way: int = 0  # requests at this moment
    unread: int = 0  # pages that wait for the loop to take them
    items: int = 0  # made by functions of yours
    calls_failed: int = 0  # of these functions
    failed: dict[str, int] = {}  # URLs given up, by outcome
    refused: dict[str, int] = {}  # links left out, by reason
    statuses: dict[str, int] = {}  # of all responses


def stats_of(crawl: Crawl, state: State, seconds: float, unread: int) -> Stats:
    """As it stands now. It may be asked from another thread than the crawl's: each dict is copied in one step."""
    counters = crawl.counters
    return Stats(
        state=state,
        seconds=round(seconds, 3),
        pages=counters.pages,
        requests=counters.requests,
        bytes=counters.bytes,
        redirects=counters.redirects,
        retries=counters.retries,
        queued=counters.queued,
        under_way=crawl.under_way,
        unread=unread,
        items=crawl.items,
        calls_failed=counters.items_failed,
        failed={str(name): count for name, count in counters.failed.copy().items() if count},
        refused={str(name): count for name, count in counters.refused.copy().items() if count},
        statuses={str(status): count for status, count in sorted(counters.statuses.copy().items())},
    )
