"""How fast the demo went, and what kept it from going faster: seen by looking again and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from weft.pipeline.crawl import Crawl
from weft.stats.verdict import counted

LOOK_EVERY_S = 0.25
PEAK_WINDOW_S = 1.0
# From the first page until the last hosts remain: what a crawl is like in between.
MIDDLE = (0.1, 0.9)


@dataclass(frozen=True, slots=True)
class Look:
    """The crawl at a moment."""

    at_s: float
    pages: int
    busy: int  # hosts of which a response is awaited
    resting: int  # hosts between two requests
    ready: int  # hosts that could be asked


@dataclass(slots=True)
class Pace:
    """What was seen. Filled by `watch_pace`; bound: four looks a second."""

    looks: list[Look] = field(default_factory=list)

    def peak_per_s(self) -> float:
        """Pages in the best second."""
        best, first = 0.0, 0
        for look in self.looks:
            while look.at_s - self.looks[first].at_s > PEAK_WINDOW_S:
                first += 1
            span_s = look.at_s - self.looks[first].at_s
            if span_s >= PEAK_WINDOW_S / 2:
                best = max(best, (look.pages - self.looks[first].pages) / span_s)
        return best

    def limit(self, pages: int, hosts: int) -> str:
        """What kept the crawl from going faster, in words and numbers."""
        middle = self._middle(pages)
        resting, busy, ready = (
            fmean(each) for each in zip(*((x.resting, x.busy, x.ready) for x in middle), strict=True)
        )
        who = max(((resting, "politeness"), (busy, "the servers"), (ready, "this machine")))[1]
        return (
            f"{who}: on average, of {counted(hosts, 'host')} {resting:,.0f} rested between requests, {busy:,.0f} were "
            f"answering, {ready:,.0f} waited for weft"
        )

    def _middle(self, pages: int) -> list[Look]:
        begin, end = (share * pages for share in MIDDLE)
        return [look for look in self.looks if begin <= look.pages <= end] or self.looks or [Look(0.0, 0, 0, 0, 0)]


def watch_pace(crawl: Crawl, pace: Pace) -> Coroutine[Any, Any, None]:
    """Looks at a crawl until it is told to end."""

    async def watch() -> None:
        while True:
            if (progress := crawl.progress()) is not None:
                hosts, pages = progress.hosts, progress.counters.pages
                pace.looks.append(Look(time.monotonic(), pages, hosts.busy, hosts.waiting, hosts.ready))
            await asyncio.sleep(LOOK_EVERY_S)

    return watch()
