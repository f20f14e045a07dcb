"""What a crawl asks the network by: connections, names, the memory for what comes, and how fast it may."""

from __future__ import annotations

from pathlib import Path

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.dns import Resolver
from weft.fetch import Fetcher, MemoryBudget
from weft.pipeline.config_parts import fetch_config
from weft.pipeline.open_files import FileShares
from weft.pipeline.pace import Pace
from weft.workers.turnstile import Turnstile


class Network(msgspec.Struct, frozen=True):
    """Opened once a run."""

    fetcher: Fetcher
    budget: MemoryBudget
    resolver: Resolver
    look_ups: Turnstile
    pace: Pace

    @classmethod
    def open(cls, config: CrawlConfig, clock: Clock, shares: FileShares, spool: Path, look_ups: int) -> Network:
        """As the settings say."""
        fetching = msgspec.structs.replace(fetch_config(config), max_idle_connections=shares.idle_connections)
        budget = MemoryBudget(config.memory_bytes)
        fetcher = Fetcher(fetching, budget, spool, clock)
        resolver, pace = Resolver(config.dns_servers, clock=clock), Pace(config.rate, config.bandwidth)
        return cls(fetcher, budget, resolver, Turnstile(look_ups, clock), pace)

    async def close(self) -> None:
        """All connections are given up."""
        await self.fetcher.close()
        await self.resolver.close()
