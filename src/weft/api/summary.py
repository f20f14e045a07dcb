"""Running a crawl to its end, and the figures of the run."""

from __future__ import annotations

import time

import msgspec

from weft.errors import told_in_words
from weft.live.summary import Summary, summary_of
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery
from weft.pipeline.run import OpenDoors, alone


async def crawl_to_end(crawl: Crawl, delivery: Delivery | None = None, open_doors: OpenDoors = alone) -> Summary:
    """Run a crawl, write its report.json, and return the figures."""
    began = time.monotonic()
    ending = await crawl.run(delivery, open_doors)
    summary = summary_of(crawl, ending.value, time.monotonic() - began)
    path = crawl.folder.path / "report.json"
    with told_in_words(path):
        path.write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n")
    return summary
