"""weft as a group of paper 3's experiment: `python -m bench.group_crawl FOLDER < config.json`.

Ten times a second it says on stdout how it stands, as a line of JSON.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import msgspec
import uvloop

from bench.group_samples import SAMPLE_EVERY_S, Sample
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.progress import Progress


async def crawl_and_tell(crawl: Crawl) -> None:
    """Run it to its end."""
    telling = asyncio.create_task(_tell(crawl))
    await crawl.run()
    telling.cancel()


async def _tell(crawl: Crawl) -> None:
    began = time.monotonic()
    while True:
        if (now := crawl.progress()) is not None:
            print(msgspec.json.encode(_sample(now, time.monotonic() - began)).decode(), flush=True)
        await asyncio.sleep(SAMPLE_EVERY_S)


def _sample(now: Progress, at_s: float) -> Sample:
    # Jobs go to the worker with the least to do: none is idle as long as there are as many jobs as workers.
    parsed_now = min(now.parsing, now.workers)
    return Sample(
        at_s=at_s,
        pages=now.counters.pages,
        received_bytes=now.counters.bytes,
        buffer=now.parsing - parsed_now,
        slots=now.slots,
        workers=now.workers,
        idle_slots=max(0, now.slots - now.visiting - now.asking),
        idle_workers=now.workers - parsed_now,
        reasons={decision.name: decision.reason for decision in now.balance},
    )


if __name__ == "__main__":
    config = msgspec.json.decode(sys.stdin.buffer.read(), type=CrawlConfig)
    uvloop.run(crawl_and_tell(Crawl.create(Path(sys.argv[1]), config)))
