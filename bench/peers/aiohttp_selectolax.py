# mypy: disable-error-code="import-not-found, import-untyped, no-any-unimported"
"""A crawler by hand, as a good engineer would write one in an afternoon: aiohttp, selectolax, uvloop, one process.

python aiohttp_selectolax.py JOB
"""

from __future__ import annotations

import asyncio
import json
import ssl
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import aiohttp
import uvloop
from protego import Protego
from selectolax.lexbor import LexborHTMLParser

LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}
SELECTOR = ", ".join(f"{tag}[{attribute}]" for tag, attribute in LINKS.items())
TIMEOUT_S = 60
TRIES = 3


class Crawler:
    """Workers that share a queue and a set of the URLs seen."""

    def __init__(self, session: aiohttp.ClientSession, hosts: list[str], workers: int) -> None:
        self._session = session
        self._hosts = frozenset(hosts)
        self._workers = workers
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._seen: set[str] = set()
        self._robots: dict[str, Protego] = {}

    async def run(self, seeds: list[str]) -> None:
        """Crawl until the queue is empty."""
        start = urlsplit(seeds[0])
        origins = {f"{start.scheme}://{host}:{start.port}" for host in self._hosts}
        await asyncio.gather(*(self._read_robots(origin) for origin in origins))
        for seed in seeds:
            self._add(seed)
        tasks = [asyncio.create_task(self._work()) for _ in range(self._workers)]
        await self._queue.join()
        for task in tasks:
            task.cancel()

    async def _read_robots(self, origin: str) -> None:
        async with self._session.get(f"{origin}/robots.txt") as response:
            text = await response.text() if response.status == 200 else ""
        self._robots[origin] = Protego.parse(text)

    async def _work(self) -> None:
        while True:
            url = await self._queue.get()
            try:
                await self._visit(url)
            finally:
                self._queue.task_done()

    async def _visit(self, url: str) -> None:
        for _ in range(TRIES):
            try:
                async with self._session.get(url) as response:
                    body = await response.read()
                    if response.status == 200 and response.content_type == "text/html":
                        for link in _links(str(response.url), body):
                            self._add(link)
            except (aiohttp.ClientError, TimeoutError):
                continue
            return

    def _add(self, url: str) -> None:
        if url in self._seen:
            return
        self._seen.add(url)
        if urlsplit(url).hostname in self._hosts and self._robots[_origin(url)].can_fetch(url, "bench"):
            self._queue.put_nowait(url)


def _links(base: str, body: bytes) -> Iterator[str]:
    written = dict.fromkeys(
        (node.attributes.get(LINKS[node.tag]) or "").partition("#")[0] for node in LexborHTMLParser(body).css(SELECTOR)
    )
    for href in written:
        try:
            url = urldefrag(urljoin(base, href)).url
        except ValueError:  # not an address at all
            continue
        if url.startswith(("http://", "https://")):
            yield url


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


async def crawl(job: dict[str, Any]) -> None:
    """One crawl, as the job says."""
    context = ssl.create_default_context(cafile=job["ca_file"]) if job["ca_file"] else True
    connector = aiohttp.TCPConnector(limit=job["connections"], limit_per_host=job["connections"], ssl=context)
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
        await Crawler(session, job["hosts"], job["connections"]).run(job["seeds"])


if __name__ == "__main__":
    uvloop.run(crawl(json.loads(Path(sys.argv[1]).read_text())))
