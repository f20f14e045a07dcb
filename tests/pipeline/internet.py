"""A proxy on loopback that stands in for the whole Internet."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.simweb import DnsSpec, SimDns, SimWeb, WebSpec
from weft.simweb.behaviour import Fixed

from .crawling import CRAWL_WITHIN_S, CrawlFiles

PUBLIC = "93.184.216.34"
NAME, IPV4_BYTES = 3, 4


class Internet:
    """A proxy, by HTTP or SOCKS5, that has all pages itself, by URL, and notes what it is asked for."""

    def __init__(self, pages: Mapping[str, Fixed]) -> None:
        self._pages = pages
        self.asked: list[str] = []
        self.names: set[str] = set()  # that SOCKS was told
        self.looked_up: set[str] = set()  # that our name server was asked for

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        first = await reader.readexactly(1)
        if first == b"\x05":
            await self._greet(reader, writer)
            first = b""
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode()
        url = head.split(" ")[1]
        if url.startswith("/"):
            url = f"http://{head.partition('Host: ')[2].partition(chr(13))[0]}{url}"
        self.asked.append(url)
        fixed = msgspec.structs.replace(self._pages.get(url, Fixed(status=404)), keep_alive=False)
        writer.write(fixed.head() + fixed.body)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(2)
        writer.write(b"\x05\x00")
        _, _, _, kind = await reader.readexactly(4)
        if kind == NAME:
            self.names.add((await reader.readexactly((await reader.readexactly(1))[0])).decode())
        else:
            await reader.readexactly(IPV4_BYTES)
        await reader.readexactly(2)
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")

    def crawl(
        self, folder: Path, seed: str, dns: DnsSpec | None = None, *, proxy: str = "socks5", **changes: Any
    ) -> tuple[Crawl, CrawlFiles]:
        """Crawl it by a proxy of this kind, as a guest who may not go into private networks."""
        return uvloop.run(asyncio.wait_for(self._crawl(folder, seed, dns, proxy, changes), CRAWL_WITHIN_S))

    async def _crawl(
        self, folder: Path, seed: str, dns: DnsSpec | None, proxy: str, changes: dict[str, Any]
    ) -> tuple[Crawl, CrawlFiles]:
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        async with server, SimDns(SimWeb(WebSpec(hosts=1, pages=1)), dns) as names:
            config = CrawlConfig(
                seeds=(seed,),
                scope="any",
                delay_s=0.0,
                dns_servers=(names.server,),
                proxy=f"{proxy}://127.0.0.1:{server.sockets[0].getsockname()[1]}",
                max_host_wait_s=5.0,
                workers=1,
            )
            crawl = Crawl.create(folder, msgspec.structs.replace(config, **changes))
            await crawl.run()
            self.looked_up = set(names.queries)
        return crawl, CrawlFiles(folder)
