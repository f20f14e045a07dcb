"""One crawl for `bench.growth`, in a process of its own: `python -m bench.growth_crawl FOLDER < config.json`.

Twice a second it says on stdout how far it is, as a line of JSON. Whoever reads the lines looks at its memory
and CPU from outside.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import msgspec
import uvloop

from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.workers.garbage import leave_garbage_alone

SAY_EVERY_S = 0.5


class Progress(msgspec.Struct, frozen=True):
    """How far the crawl is."""

    at_s: float  # monotonic
    pages: int
    requests: int
    seen: int
    queued: int
    answers: dict[str, int]  # by whom the seen set answered
    worker_pids: list[int]
    is_over: bool = False  # the crawl, its index files included


async def crawl_and_tell(crawl: Crawl) -> None:
    """Run it to its end; the last line comes after the index files are written."""
    telling = asyncio.create_task(_tell(crawl))
    await crawl.run()
    telling.cancel()
    _say(crawl, is_over=True)


async def _tell(crawl: Crawl) -> None:
    while True:
        _say(crawl)
        await asyncio.sleep(SAY_EVERY_S)


def _say(crawl: Crawl, *, is_over: bool = False) -> None:
    counters, now = crawl.counters, crawl.progress()
    progress = Progress(
        time.monotonic(),
        counters.pages,
        counters.requests,
        counters.seen,
        counters.queued,
        dict(counters.seen_answers),
        now.worker_pids if now is not None and not is_over else [],
        is_over,
    )
    print(msgspec.json.encode(progress).decode(), flush=True)


if __name__ == "__main__":
    leave_garbage_alone()  # as `weft crawl` does
    config = msgspec.json.decode(sys.stdin.buffer.read(), type=CrawlConfig)
    uvloop.run(crawl_and_tell(Crawl.create(Path(sys.argv[1]), config)))
