"""A few sites made by hand, served in the crawl's own loop, so that their pages can name each other's ports."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import uvloop

from weft.config import CrawlConfig
from weft.in_thread import in_thread
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import DnsSpec, RequestLog, SimDns, SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed, TlsFault

from .crawling import CRAWL_WITHIN_S, PATIENCE_S, CrawlFiles

Made = TypeVar("Made")
Sites = Mapping[tuple[str, str], Behaviour]
# A host whose home page it is, or a URL; a host and some paths; or URLs that are known once ports are.
Seed = str | tuple[str, ...] | Callable[[], tuple[str, ...]]


def page(*hrefs: str, head: str = "") -> Fixed:
    """A page with these links."""
    links = "".join(f'<p><a href="{href}">x</a>' for href in hrefs)
    return Fixed(f"<!DOCTYPE html>{head}<title>x</title>{links}".encode())


def text(body: str) -> Fixed:
    """A file of plain text, as robots.txt is."""
    return Fixed(body.encode(), content_type="text/plain")


def redirect(url: str, status: int = 302) -> Fixed:
    """Another place to look."""
    return Fixed(b"", status, headers=(("Location", url),))


class SmallWeb:
    """Sites that are known once their ports are. `sites` is given the web, to ask it for URLs."""

    def __init__(
        self,
        hosts: tuple[str, ...],
        sites: Callable[[SimWeb], Sites],
        *,
        dns: DnsSpec | None = None,
        tls_faults: Mapping[str, TlsFault] | None = None,
        https: bool = False,
    ) -> None:
        self._sites = sites
        self._dns = dns
        self._https = https
        # A name is in DNS when the web knows it from the start.
        known: Sites = {(host, "/"): Fixed() for host in hosts}
        self._unplaced = SimWeb(WebSpec(hosts=1, pages=1), known, tls_faults=tls_faults)
        self.web = self._unplaced
        self.log = RequestLog()
        self.parked: dict[str, str] = {}

    def crawl(self, folder: Path, seed: Seed, **changes: Any) -> tuple[Ending, CrawlFiles]:
        """Serve the sites, and crawl them."""
        return uvloop.run(asyncio.wait_for(self._crawl(folder, seed, changes), CRAWL_WITHIN_S))

    def crawl_then(self, folder: Path, seed: Seed, then: Callable[[], Made], **changes: Any) -> Made:
        """Crawl, and call this in a thread while the sites are still served."""

        async def both() -> Made:
            async with self._served() as served:
                await Crawl.create(folder, self._config(seed, served, changes)).run()
                return await in_thread(then)

        return uvloop.run(asyncio.wait_for(both(), CRAWL_WITHIN_S))

    def url(self, host: str, path: str = "/", scheme: str = "http") -> str:
        """A URL of the web at the ports that it had last."""
        return self.web.url(host, path, scheme)

    def _seeds(self, seed: Seed) -> tuple[str, ...]:
        if callable(seed):
            return seed()
        if isinstance(seed, tuple):
            host, *paths = seed
            return tuple(self.url(host, path) for path in paths)
        return (seed if "//" in seed else self.url(seed),)

    @asynccontextmanager
    async def _served(self) -> AsyncIterator[tuple[str, str]]:
        server = SimServer(self._unplaced, https=self._https)
        async with server, SimDns(server.web, self._dns) as dns:
            self.web, self.log = server.web, server.log
            self.web.custom.update(self._sites(self.web))
            yield dns.server, str(server.ca_file or "")

    def _config(self, seed: Seed, served: tuple[str, str], changes: dict[str, Any]) -> CrawlConfig:
        config = CrawlConfig(
            seeds=self._seeds(seed),
            scope="any",
            delay_s=0.0,
            dns_servers=served[:1],
            allow_private=True,
            connect_timeout_s=PATIENCE_S,
            response_timeout_s=PATIENCE_S,
            idle_timeout_s=PATIENCE_S,
            max_host_wait_s=0.5,  # a robots.txt that failed is asked for once more, after 0.12 s
            retry_wait_scale=0.002,
            ca_file=served[1],
            workers=1,
        )
        return msgspec.structs.replace(config, **changes)

    async def _crawl(self, folder: Path, seed: Seed, changes: dict[str, Any]) -> tuple[Ending, CrawlFiles]:
        async with self._served() as served:
            crawl = Crawl.create(folder, self._config(seed, served, changes))
            ending = await crawl.run()
            self.parked = crawl.parked_hosts
        return ending, CrawlFiles(folder)
