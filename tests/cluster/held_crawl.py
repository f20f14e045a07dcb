"""A real run of the engine that holds some of a crawl's buckets, without a cluster around it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import msgspec
import uvloop

from tests.pipeline.crawling import CRAWL_WITHIN_S, until
from weft.cluster.events import Entries, Found, FoundUrl, from_bytes, to_bytes
from weft.cluster.holdings import Holding, Holdings, Shares, Stage
from weft.cluster.log import Message, deeds, found
from weft.cluster.outbox import Outbox, OutboxRow, by_bucket, entries_by_bucket
from weft.cluster.view import View
from weft.config import CrawlConfig
from weft.order import BreadthFirst, Order
from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.doors import Doors, Inside
from weft.pipeline.engine import Ending
from weft.seen import Seen
from weft.types import Link

BUCKETS = 64
CLAIM = 7
NODE = "node-a"

_decode_link = msgspec.msgpack.Decoder(Link).decode
decode_row = msgspec.msgpack.Decoder(OutboxRow).decode


class HeldCrawl:
    """`beside` runs beside the engine and may do with the parts what a cluster does; then it ends the crawl, or not."""

    def __init__(
        self,
        folder: Path,
        config: CrawlConfig,
        *,
        held: Iterable[int] = range(BUCKETS),
        beside: Callable[[HeldCrawl], Awaitable[None]] | None = None,
        order: Order | None = None,
    ) -> None:
        self.crawl = Crawl.create(folder, config)
        self.shares = Shares(BUCKETS)
        self._held = list(held)
        self._beside = beside
        self._order = order or BreadthFirst()
        self._is_ended = beside is None
        self.inside: Inside
        self.view: View
        self.holdings: Holdings
        self.context: Context

    def run(self) -> Ending:
        return uvloop.run(asyncio.wait_for(self.crawl.run(open_doors=self._doors), CRAWL_WITHIN_S))

    def _doors(self, context: Context) -> Doors:
        self.context = context
        self._sent = Seen(context.state, is_new_crawl=True, family="sent")
        self.holdings = Holdings(self.shares, Outbox(context.state), self._sent)
        self.holdings.held.update({bucket: Holding(CLAIM, Stage.OWNED) for bucket in self._held})
        self.holdings.on_begin = self._begin
        return Doors(
            owner=self.holdings,
            witnesses=(self.holdings,),
            consents=(self,),
            order=self._order,
            beside=(self._run_beside,),
            label=NODE,
        )

    def _begin(self, inside: Inside) -> None:
        self.inside = inside
        self.view = View(inside, self.shares, self._sent)

    def halt(self) -> None:
        """Nothing holds it up."""

    def may_end(self) -> bool:
        return self._is_ended

    async def _run_beside(self) -> None:
        if self._beside is not None:
            await self._beside(self)
            self._is_ended = True
            self.context.loop.pump_soon()

    # ── what a cluster does ────────────────────────────────────────────────────────────────────────────

    async def pages(self, count: int) -> None:
        """Until so many pages were fetched."""
        await until(lambda: self.context.counters.pages >= count)

    async def give_up(self, buckets: Iterable[int] = range(BUCKETS)) -> None:
        """Until nothing of them is under way."""
        while not all(list(map(self.view.give_up, buckets))):  # each of them is asked
            self.context.loop.pump_soon()
            await asyncio.sleep(0.01)

    def adopt(self, buckets: Iterable[int] = range(BUCKETS)) -> None:
        for bucket in buckets:
            self.view.adopt(bucket)
        self.context.loop.pump_soon()

    def told(self) -> list[OutboxRow]:
        """All that others would hear."""
        return [decode_row(row) for _, row in self.inside.state.scan("outbox")]

    def replay(self, rows: list[OutboxRow], buckets: Iterable[int] = range(BUCKETS)) -> None:
        """Take their rows away and make them again from what was told, as `Reading.join` does."""
        wanted = set(buckets)
        for bucket in wanted:
            self.view.wipe(bucket)
        again: dict[bytes, FoundUrl] = {}
        self.view.deeds([one for one in deeds_told(rows) if int(one.subject[2:]) in wanted], again)
        events = [from_bytes(one.data) for one in found_told(rows) if int(one.subject[2:]) in wanted]
        self.view.found(event for event in events if isinstance(event, Found))
        self.view.queue_again(again)

    def queued(self) -> list[Link]:
        """The links that wait, as others would know them."""
        links = [_decode_link(row) for _, row in self.inside.state.scan("queue")]
        return sorted(
            (msgspec.structs.replace(link, attempts=0, not_before=0.0, again=False) for link in links),
            key=lambda link: link.url,
        )


def found_told(rows: list[OutboxRow]) -> list[Message]:
    """The links as they stand in the log."""
    return [Message(0, found(bucket), to_bytes(Found(urls)), claim) for bucket, claim, urls in by_bucket(rows)]


def deeds_told(rows: list[OutboxRow]) -> list[Message]:
    """What happened as it stands in the log."""
    return [
        Message(number, deeds(bucket), to_bytes(Entries(NODE, "1-x", claim, number, entries)), 0)
        for number, ((bucket, claim), entries) in enumerate(entries_by_bucket(rows).items(), 1)
    ]
