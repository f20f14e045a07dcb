"""What a crawl asks the network by: connections, names, and the memory for what comes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.dns import Resolver
from weft.fetch import Fetcher, MemoryBudget
from weft.pipeline.config_parts import fetch_config
from weft.pipeline.open_files import FileShares
from weft.workers.turnstile import Turnstile


class Network(msgspec.Struct, frozen=True):
    """Opened once a run."""

    fetcher: Fetcher
    budget: MemoryBudget
    resolver: Resolver
    look_ups: Turnstile

    @classmethod
    def open(cls, config: CrawlConfig, clock: Clock, shares: FileShares, spool: Path, look_ups: int) -> Network:
        """As the settings say."""
        fetching = msgspec.structs.replace(fetch_config(config), max_idle_connections=shares.idle_connections)
        budget = MemoryBudget(config.memory_bytes)
        fetcher = Fetcher(fetching, budget, spool, clock)
        return cls(fetcher, budget, Resolver(config.dns_servers, clock=clock), Turnstile(look_ups, clock))

    async def close(self) -> None:
        """All connections are given up."""
        await self.fetcher.close()
        await self.resolver.close()
