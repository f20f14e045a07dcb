"""Paper 3's serial group: workers that fetch, parse and store a page each before they take the next.

    python -m bench.serial_crawl FOLDER < config.json

It is made of weft's own parts: the same fetcher, parser, filters, WARC writer and database, but no stages, no buffer
and no processes between them. The queue is a deque, what was seen a set. A page is one write to the database, as each
thread of the paper imported its own data. `connections` of the config is the number of its workers.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from pathlib import Path

import msgspec
import uvloop

from bench.group_samples import SAMPLE_EVERY_S, Sample
from weft.clock import Clock
from weft.config import CrawlConfig, product_token, user_agent
from weft.errors import FetchError
from weft.fetch import FetchConfig, Fetcher, MemoryBudget, release
from weft.flow import PageProcessor
from weft.robots import ALLOW_ALL, ROBOTS_PATH, Rules, parse_robots
from weft.state import State
from weft.store import WarcWriter
from weft.types import Fetched, FoundLink, Kind, Link, RefusedLink
from weft.url import host_of, origin_of, split, url_id

TRIES = 3


class SerialCrawl:
    """All workers of one crawl, which share a queue."""

    def __init__(self, config: CrawlConfig, folder: Path) -> None:
        self._config = config
        self._budget = MemoryBudget(config.memory_bytes)
        limits = FetchConfig(
            user_agent=user_agent(config),
            max_idle_connections=config.connections,
            max_idle_connections_per_host=config.connections_per_host,
        )
        self._fetcher = Fetcher(limits, self._budget, folder, Clock())
        self._state = State(folder / "state")
        archive = WarcWriter(str(folder / "serial.warc.gz"), 0, 0, {"software": "bench.serial_crawl"})
        self._processor = PageProcessor(config, list(config.seeds), archive, self._take_early)
        self._robots: dict[str, Rules] = {}
        # Filled by _add and by failed tries, emptied by the workers; bound: the pages of the corpus.
        self._queue: deque[Link] = deque()
        self._seen: set[bytes] = set()
        self._waiting: deque[asyncio.Future[None]] = deque()  # workers without a page
        self.pages = self.received_bytes = 0

    @property
    def idle(self) -> int:
        """Workers without a page."""
        return len(self._waiting)

    async def run(self) -> None:
        """Until the time is over, or every worker waits for a page."""
        await asyncio.gather(
            *(self._read_robots(origin) for origin in {origin_of(seed) for seed in self._config.seeds})
        )
        seeds = [Link(seed, 0, Kind.SEED, seed=number) for number, seed in enumerate(self._config.seeds)]
        self._add([FoundLink(url_id(link.url), host_of(link.url), link) for link in seeds])
        workers = [asyncio.create_task(self._work()) for _ in range(self._config.connections)]
        _, unfinished = await asyncio.wait(workers, timeout=self._config.max_time_s)
        for worker in unfinished:
            worker.cancel()
        await asyncio.gather(*workers)
        await self._fetcher.close()
        self._processor.archive.close()
        self._state.close()

    async def _work(self) -> None:
        try:
            while (link := await self._next()) is not None:
                await self._visit(link)
        except asyncio.CancelledError:  # the time is over
            return

    async def _next(self) -> Link | None:
        """The next page; None when no worker is left that could find one."""
        while not self._queue:
            if self.idle == self._config.connections - 1:
                while self._waiting:
                    self._waiting.pop().cancel()
                return None
            found = asyncio.get_running_loop().create_future()
            self._waiting.append(found)
            await found
        return self._queue.popleft()

    async def _visit(self, link: Link) -> None:
        target = split(link.url)
        if not self._robots[origin_of(link.url)].allows(target.path):
            return
        try:
            fetched = await self._fetcher.fetch(link.url, target, [target.host])
        except FetchError:
            if link.attempts + 1 < TRIES:
                self._put(msgspec.structs.replace(link, attempts=link.attempts + 1))
            return
        self._store(link, fetched)
        release(fetched, self._budget)

    def _store(self, link: Link, fetched: Fetched) -> None:
        done = self._processor.process(link, fetched, None, is_parsed=True, may_be_large=True)
        self.pages += 200 <= fetched.status < 300
        self.received_bytes += len(fetched.head) + fetched.body_bytes
        batch = self._state.batch()
        batch.put("page", url_id(link.url), msgspec.msgpack.encode(msgspec.structs.replace(done, links=[])))
        for found in self._add(done.links):
            batch.put("queue", found.id, msgspec.msgpack.encode(found.link))
        batch.delete("queue", url_id(link.url))
        self._state.write(batch)

    def _take_early(self, links: list[FoundLink], refused: list[RefusedLink]) -> None:
        """Links of a page that has very many, ahead of the others."""
        self._add(links)

    def _add(self, links: list[FoundLink]) -> list[FoundLink]:
        new = [found for found in links if found.id not in self._seen]
        for found in new:
            self._seen.add(found.id)
            self._put(found.link)
        return new

    def _put(self, link: Link) -> None:
        self._queue.append(link)
        if self._waiting:
            self._waiting.popleft().set_result(None)

    async def _read_robots(self, origin: str) -> None:
        asked = split(origin + ROBOTS_PATH)
        fetched = await self._fetcher.fetch(origin + ROBOTS_PATH, asked, [asked.host])
        has_rules = fetched.status == 200 and fetched.body is not None
        self._robots[origin] = (
            parse_robots(fetched.body or b"", product_token(self._config)) if has_rules else ALLOW_ALL
        )
        release(fetched, self._budget)


async def crawl_and_tell(crawl: SerialCrawl, config: CrawlConfig) -> None:
    """Run it to its end; ten times a second say how it stands."""
    telling = asyncio.create_task(_tell(crawl, config.connections))
    await crawl.run()
    telling.cancel()


async def _tell(crawl: SerialCrawl, workers: int) -> None:
    began = time.monotonic()
    while True:
        at_s = time.monotonic() - began
        sample = Sample(at_s, crawl.pages, crawl.received_bytes, 0, workers, 0, crawl.idle, 0)
        print(msgspec.json.encode(sample).decode(), flush=True)
        await asyncio.sleep(SAMPLE_EVERY_S)


if __name__ == "__main__":
    told = msgspec.json.decode(sys.stdin.buffer.read(), type=CrawlConfig)
    place = Path(sys.argv[1])
    place.mkdir()
    uvloop.run(crawl_and_tell(SerialCrawl(told, place), told))
