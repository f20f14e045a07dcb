"""A life from its first moment on, where no server is needed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from weft.cluster.life import Identity, Life
from weft.cluster.log import STREAMS, Log
from weft.cluster.members import Member
from weft.cluster.publisher import Publisher
from weft.cluster.shared import Changed, Settings, Shared
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.pipeline.context import Context
from weft.pipeline.doors import Inside
from weft.state import State

NO_EVENTS = [0] * STREAMS


def test_a_life_keeps_to_the_shares_of_the_table_that_it_is_born_with(tmp_path: Path) -> None:
    """A node that was killed and is back within its lease finds the table as it was: it must not wait for another."""
    table = Table(64, nodes=["a", "b"], owners=[0] * 16 + [1] * 48)
    settings = Settings("id", CrawlConfig(rate=8), 64, 6.0)
    log = cast(Log, SimpleNamespace())
    life = Life(Identity("a", "folder"), settings, log, cast(Shared, None), table, NO_EVENTS, lambda: None)
    counters = SimpleNamespace(pages=0, seen=0, queued=0)
    config = SimpleNamespace(order="bfs")
    shares: list[float] = []
    rates: list[float] = []
    inside = SimpleNamespace(
        fetcher=SimpleNamespace(),
        frontier=SimpleNamespace(
            residents=SimpleNamespace(give_up=lambda first, last: None),
            holds=SimpleNamespace(),
            gates=SimpleNamespace(share=shares.append),
        ),
        pace=SimpleNamespace(share=rates.append),
        archive=SimpleNamespace(sync=None),
    )
    state = State(tmp_path / "state")
    try:
        life.doors(cast(Context, SimpleNamespace(state=state, counters=counters, config=config)))
        life.holdings.on_begin(cast(Inside, inside))
    finally:
        state.close()
    assert (shares, rates) == ([0.25], [2.0])
    assert [life.holdings.owner_of(bucket) for bucket in (0, 63)] == ["a", "b"]


class OneEntry:
    """What is shared of one node; each answer takes some time."""

    def __init__(self) -> None:
        self.revision = 1
        self.written: list[Member] = []

    async def write_member(self, _name: str, member: Member, revision: int) -> int:
        for _ in range(10):
            await asyncio.sleep(0)
        if revision != self.revision:
            raise Changed
        self.revision += 1
        self.written.append(member)
        return self.revision

    async def member(self, _name: str) -> tuple[int, Member]:
        return self.revision, self.written[-1]


class BriefLife(Life):
    """It has nothing to tell, and nothing to publish."""

    def __init__(self, entry: OneEntry, table: Table) -> None:
        settings = Settings("id", CrawlConfig(), 64, 6.0)
        shared = cast(Shared, entry)
        super().__init__(Identity("a", "folder"), settings, cast(Log, None), shared, table, NO_EVENTS, lambda: None)
        self._publisher = cast(Publisher, SimpleNamespace(flush=lambda: asyncio.sleep(0)))
        self._context = cast(Context, SimpleNamespace(loop=SimpleNamespace(pump_soon=lambda: None)))
        self.grants = SimpleNamespace(is_over=False)  # type: ignore[assignment]
        self._revision = entry.revision

    def _member(self) -> Member:
        return Member(self.id, "folder", 100)


def test_a_life_that_ends_while_it_renews_its_lease_says_so() -> None:
    """Else it would be taken for one that works, and its crawl could not be removed."""
    entry = OneEntry()

    async def renew_and_end() -> None:
        life = BriefLife(entry, Table(64, finished="done"))
        renewing = asyncio.create_task(life._renew())
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # a renewal is under way
        ending = asyncio.create_task(life._end())
        while not life.may_end():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0)
        ending.cancel()
        renewing.cancel()

    asyncio.run(asyncio.wait_for(renew_and_end(), 60))
    assert [member.is_over for member in entry.written] == [False, True]
