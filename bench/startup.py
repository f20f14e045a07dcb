"""How long a crawl with many queued URLs takes to start: from `weft resume` to the first turn.

    python bench/startup.py [--urls 10000000] [--hosts 100000] [--keep DIR]

The queue and the seen set are filled directly, then the folder is opened as `resume` opens it. Nothing is fetched:
the hosts are closed ports of this machine, and the run is stopped as soon as its engine turns.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
import time
from pathlib import Path

import uvloop

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.folder.layout import CrawlFolder
from weft.frontier import Frontier, Manners
from weft.order import order_named
from weft.pipeline.crawl import Crawl
from weft.seen import Seen
from weft.state import State
from weft.types import Kind, Link
from weft.url import url_id

URLS_PER_BATCH = 2_000


def main() -> None:
    """Fill a folder, open it, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--hosts", type=int, default=100_000)
    parser.add_argument("--keep", type=Path, help="make the folder here, or use it again")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="weft-startup-")) / "crawl"
    try:
        if not folder.exists():
            fill(folder, options.urls, options.hosts)
        for attempt in (1, 2):
            ready_s = uvloop.run(time_to_first_turn(folder))
            print(f"{options.urls:,} queued URLs on {options.hosts:,} hosts, start {attempt}: {ready_s:.2f} s")
    finally:
        if options.keep is None:
            shutil.rmtree(folder.parent)


def fill(folder: Path, urls: int, hosts: int) -> None:
    """A crawl that has found so many URLs and visited none."""
    config = CrawlConfig(seeds=("http://h0.localhost:9/",), scope="any", allow_private=True, ignore_robots=True)
    opened = CrawlFolder(folder, must_exist=False)
    opened.save_config(config)
    state = State(opened.database)
    seen = Seen(state, is_new_crawl=True)
    frontier = Frontier(state, Clock(), order_named("bfs").rank, Manners(delay_s=1.0), sequence=0, hosts_in_memory=1)
    began = time.monotonic()
    for start in range(0, urls, URLS_PER_BATCH):
        batch = state.batch()
        for number in range(start, min(start + URLS_PER_BATCH, urls)):
            host = f"h{number % hosts}.localhost"
            link = Link(f"http://{host}:9/page/{number}", 1, Kind.LINK, f"http://{host}:9/")
            seen.add(batch, url_id(link.url), 1)
            frontier.put(batch, host, link)
        frontier.seal(batch)
        state.write(batch)
        seen.settle()
        frontier.settle()
    state.close()
    opened.close()
    print(f"filled in {time.monotonic() - began:.0f} s")


async def time_to_first_turn(folder: Path) -> float:
    """From the opening of the folder until the engine runs."""
    began = time.monotonic()
    crawl = Crawl.resume(folder)
    run = asyncio.create_task(crawl.run())
    while crawl.progress() is None and not run.done():  # noqa: ASYNC110 — there is no event for it
        await asyncio.sleep(0)
    ready_s = time.monotonic() - began
    crawl.stop()
    await run
    return ready_s


if __name__ == "__main__":
    main()
