"""A web whose name server and whose listening sockets can be taken away and given back while a crawl runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from tests.pipeline.crawling import until
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import RequestLog, SimDns, SimServer, SimWeb, WebSpec


class FrailWeb:
    """A synthetic web in the crawl's own loop. Its ports stay the same through all outages."""

    def __init__(self, spec: WebSpec) -> None:
        self._server = SimServer(SimWeb(spec))
        self._dns = SimDns(self._server.web)
        self.logs: list[RequestLog] = []

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        self.logs.append(self._server.log)
        self.web = self._server.web
        self._dns = SimDns(self.web)
        await self._dns.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._dns.__aexit__(None, None, None)
        await self._server.__aexit__(None, None, None)

    def config(self, **changes: object) -> CrawlConfig:
        """A quick crawl of it."""
        config = CrawlConfig(
            seeds=tuple(self.web.seeds()),
            scope="any",
            delay_s=0.0,
            connections_per_host=4,
            dns_servers=(self._dns.server,),
            allow_private=True,
            connect_timeout_s=2.0,
            response_timeout_s=1.0,
            idle_timeout_s=1.0,
            retry_wait_scale=0.02,
            workers=1,
        )
        return msgspec.structs.replace(config, **changes)

    async def lose_name_server(self) -> None:
        """From now on nobody answers at its port."""
        await self._dns.__aexit__(None, None, None)

    async def restore_name_server(self) -> None:
        """It answers again, where it did."""
        self._dns = SimDns(self.web, port=self._dns.port)
        await self._dns.__aenter__()

    async def lose_network(self) -> None:
        """All connections break, and new ones are refused."""
        await self._server.__aexit__(None, None, None)

    async def restore_network(self) -> None:
        """The web is there again."""
        self._server = SimServer(self.web, self.web.port)
        await self._server.__aenter__()
        self.logs.append(self._server.log)

    def answered(self) -> dict[str, int]:
        """How often each URL was answered in full, before and after."""
        times: dict[str, int] = {}
        for log in self.logs:
            for url, requests in log.requests_by_url(self.web.port).items():
                times[url] = times.get(url, 0) + sum(request.whole for request in requests)
        return {url: count for url, count in times.items() if count}


async def finish(folder: Path) -> Ending:
    """Resume a crawl, and try again what failed, until nothing is left."""
    ending = await Crawl.resume(folder).run()
    for _ in range(2):
        ending = await Crawl.resume(folder, retry_failed=True).run()
    return ending


async def run_meanwhile(crawl: Crawl, holds: Callable[[], bool]) -> asyncio.Task[Ending]:
    """Start a crawl and wait until something holds, or it is over."""
    running = asyncio.create_task(crawl.run())
    await until(lambda: holds() or running.done())
    return running
