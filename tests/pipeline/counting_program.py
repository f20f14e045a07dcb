"""A program that iterates over a crawl and asks for more: `python -m tests.pipeline.counting_program FOLDER`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from weft.page import Page
from weft.pipeline.crawl import Crawl
from weft.pipeline.delivery import Delivery

from .askers import count_on


async def count(folder: Path) -> None:
    """What `count_on` yields, asked for in the engine's process."""
    crawl, delivery = Crawl.resume(folder), Delivery()
    running = asyncio.create_task(crawl.run(delivery))
    running.add_done_callback(lambda _: delivery.end())
    while (delivered := await delivery.next(lambda: crawl.state)) is not None:
        row, kept = delivered
        page = Page(row, lambda row=row, kept=kept: kept or crawl.load(row))  # type: ignore[misc]
        for asked in count_on(page):
            if not isinstance(asked, dict):
                crawl.follow(asked, row.depth + 1, row)  # type: ignore[arg-type]
    await running


if __name__ == "__main__":
    asyncio.run(count(Path(sys.argv[1])))
