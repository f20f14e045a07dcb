"""Running a crawl to its end, and the figures of the run."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from weft.api.function_troubles import with_function_troubles
from weft.api.items_file import write_items_file
from weft.in_thread import in_thread
from weft.live.sightings import Sights
from weft.live.summary import Summary, summary_of
from weft.live.watch import Watch
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.run import OpenDoors, alone


async def crawl_to_end(crawl: Crawl, delivery: Delivery | None = None, open_doors: OpenDoors = alone) -> Summary:
    """Run a crawl, keep its report.json up to date, and return the figures."""
    began = time.monotonic()
    watch = Watch(crawl, others=_others(crawl))
    items = Path(crawl.config.items).absolute()  # now: the program may be in another folder when it ends
    if crawl.config.extractors:
        open_doors = with_function_troubles(crawl.folder.worker_log, open_doors)
    ending = await crawl.run(delivery, watch.doors(open_doors))
    summary = summary_of(crawl, ending.value, time.monotonic() - began)
    watch.end(summary)
    if crawl.config.items:
        await in_thread(write_items_file, crawl, items)
    return summary


def _others(crawl: Crawl) -> Callable[[], list[Sights]]:
    """What engines in other processes see."""
    if type(crawl) is Crawl:
        return list
    from weft.engines.crawl import CrawlOfEngines  # only then: one engine does without the code of several

    return crawl.sights if isinstance(crawl, CrawlOfEngines) else list
