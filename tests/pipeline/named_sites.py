"""Sites of several names at one loopback address and port, which note what each request said and when."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from tests.dns.nameserver import Zone, name_server
from weft.config import CrawlConfig

WITHIN_S = 60.0

Answer = tuple[int, dict[str, str], str]  # status, headers, body
Handler = Callable[[str, str, int], Answer]  # from host, path and the port of all of them


class Asked(NamedTuple):
    """A request."""

    host: str
    path: str
    headers: dict[str, str]  # by names in lower case
    came_at: float
    gap_s: float  # since the end of the answer before, of the same host; inf for the first


class NamedSites:
    """The sites while they are served."""

    def __init__(self, handler: Handler, together: dict[str, int]) -> None:
        self._handler = handler
        self._together = together  # host → that many pages are answered when so many are asked for at once
        self._waiting: dict[str, list[asyncio.Event]] = {}
        self._ended_at: dict[str, float] = {}
        self._active: Counter[str] = Counter()
        self.most_active: Counter[str] = Counter()
        self.asked: list[Asked] = []
        self.port = self.dns_port = 0
        self.stop: Callable[[], object] = lambda: None

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def of(self, host: str) -> list[Asked]:
        """What a host was asked, robots.txt included."""
        return [one for one in self.asked if one.host == host]

    def pages(self, host: str) -> set[str]:
        return {one.path for one in self.of(host)} - {"/robots.txt"}

    def config(self, *hosts: str, **changes: Any) -> CrawlConfig:
        """Settings for a crawl of these hosts that wastes no time."""
        config = CrawlConfig(
            seeds=tuple(map(self.url, hosts)),
            scope="any",
            delay_s=0.0,
            slow_factor=0.0,
            allow_private=True,
            dns_servers=(f"127.0.0.1:{self.dns_port}",),
            workers=1,
            retry_wait_scale=0.02,
        )
        return msgspec.structs.replace(config, **changes)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode():
                await self._answer(head, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: str, writer: asyncio.StreamWriter) -> None:
        line, *rest = head.splitlines()
        headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in rest if one)}
        host, path, now = headers["host"].partition(":")[0], line.split(" ")[1], time.monotonic()
        self.asked.append(Asked(host, path, headers, now, now - self._ended_at.get(host, float("-inf"))))
        self._active[host] += 1
        self.most_active[host] = max(self.most_active[host], self._active[host])
        if host in self._together and path not in ("/", "/robots.txt"):
            await self._with_others(host)
        status, more, body = self._handler(host, path, self.port)
        content = body.encode()
        lines = {"Content-Type": "text/html", "Content-Length": str(len(content)), **more}
        self._active[host] -= 1
        self._ended_at[host] = time.monotonic()
        writer.write(f"HTTP/1.1 {status} x\r\n".encode())
        writer.write("".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode() + b"\r\n" + content)
        await writer.drain()

    async def _with_others(self, host: str) -> None:
        """Wait until as many as are wanted ask at once."""
        waiting = self._waiting.setdefault(host, [])
        mine = asyncio.Event()
        waiting.append(mine)
        if len(waiting) == self._together[host]:
            while waiting:
                waiting.pop().set()
        async with asyncio.timeout(WITHIN_S):
            await mine.wait()


@contextmanager
def named_sites(
    names: tuple[str, ...], handler: Handler, together: dict[str, int] | None = None
) -> Iterator[NamedSites]:
    """Serve them, from a thread: also to crawls of other processes."""
    sites = NamedSites(handler, together or {})
    started, loop = threading.Event(), asyncio.new_event_loop()

    async def serve() -> None:
        done = loop.create_future()
        sites.stop = lambda: loop.call_soon_threadsafe(done.set_result, None)
        server = await asyncio.start_server(sites.answer, "127.0.0.1", 0)
        async with server, name_server({name: Zone(("127.0.0.1",), ttl_s=60) for name in names}) as dns:
            sites.port, sites.dns_port = server.sockets[0].getsockname()[1], dns.port
            started.set()
            await done

    def run() -> None:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(serve())
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert started.wait(WITHIN_S)
    try:
        yield sites
    finally:
        sites.stop()
        thread.join()
