"""Names that lead to several addresses: what one of them can bear holds for all names together."""

from __future__ import annotations

import asyncio
from pathlib import Path

import uvloop

from tests.dns.nameserver import Zone, name_server
from weft.config import CrawlConfig
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending

from .crawling import CRAWL_WITHIN_S, CrawlFiles

NAMES = [f"n{number}.example" for number in range(40)]


class Counting:
    """A server that knows how many requests it had at once."""

    def __init__(self) -> None:
        self.active = self.most = self.port = 0
        self.asked: list[str] = []

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head.split(" ")[1])
        self.active += 1
        self.most = max(self.most, self.active)
        await asyncio.sleep(0.02)  # so that all who would come at once do
        self.active -= 1
        status = "404 Not Found" if self.asked[-1] == "/robots.txt" else "200 OK"
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx".encode())
        writer.close()


async def _crawl(folder: Path, server: Counting, *, obeys_robots: bool) -> Ending:
    listening = await asyncio.start_server(server.answer, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    zones = {name: Zone((f"127.0.1.{number + 1}", "127.0.0.1")) for number, name in enumerate(NAMES)}
    async with listening, name_server(zones) as dns:
        config = CrawlConfig(
            seeds=tuple(f"http://{name}:{port}/" for name in NAMES),
            ignore_robots=not obeys_robots,
            delay_s=0.0,
            allow_private=True,
            dns_servers=(f"127.0.0.1:{dns.port}",),
            workers=1,
            sitemaps=False,
        )
        return await asyncio.wait_for(Crawl.create(folder, config).run(), CRAWL_WITHIN_S)


def test_many_names_whose_second_address_is_the_same_send_it_no_more_than_one_address_can_bear(tmp_path: Path) -> None:
    for obeys_robots in (True, False):
        server, folder = Counting(), tmp_path / str(obeys_robots)
        assert uvloop.run(_crawl(folder, server, obeys_robots=obeys_robots)) is Ending.DONE
        assert server.most == 4
        assert server.asked.count("/") == 40, "each page once"
        assert len(CrawlFiles(folder).responses()) == 40
        assert "retry in" not in (folder / "crawl.log").read_text(), "that not all addresses are free is no failure"
