"""`--max-pages` of a cluster: no page more than allowed, none left over that somebody could have fetched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
import uvloop

from weft.clock import FakeClock
from weft.cluster.conductor import Conductor
from weft.cluster.grants import PageGrants
from weft.cluster.log import Log
from weft.cluster.members import Counts, Member, Members
from weft.cluster.shared import Grants, Settings
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.folder.crawl_log import CrawlLog
from weft.pipeline.context import Context
from weft.state import State
from weft.stats import Counters

from .shared_values import SharedInMemory

TABLE = Table(64)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path / "state")
    yield state
    state.close()


class Node:
    """A node that fetches pages as far as they are granted."""

    def __init__(self, name: str, shared: SharedInMemory, state: State, max_pages: int | None) -> None:
        self.life = f"1-{name}"
        self.clock = FakeClock()
        counters = Counters()
        counters.pages = 1_000  # of earlier lives
        self.context = Context(CrawlConfig(), self.clock, state, counters, cast(CrawlLog, None))
        self.grants = PageGrants(max_pages, shared, self.context)
        self.pages = 0

    def fetch_all(self) -> None:
        """Everything that may be fetched now."""
        while not self.grants.is_near(0):
            self.context.counters.pages += 1
            self.pages += 1

    def member(self, **changes: Any) -> Member:
        entry = Member(self.life, "folder", used=self.pages, is_at_limit=self.grants.is_waiting)
        return msgspec.structs.replace(entry, **changes)


def granted(shared: SharedInMemory) -> Grants:
    return shared._grants[1]


@asynccontextmanager
async def kept(*nodes: Node):  # type: ignore[no-untyped-def]
    """Their grants are looked after, as in a life."""
    living = {node.life: node.member() for node in nodes}
    tasks = [asyncio.create_task(node.grants.keep(node.life, lambda: living)) for node in nodes]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


async def until(holds: Callable[[], bool], do: Callable[[], None] = lambda: None) -> None:
    async with asyncio.timeout(60):
        while not holds():
            do()
            await asyncio.sleep(0.01)


def run(scenario: Any) -> None:
    uvloop.run(scenario)


# ── how much ───────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_limit_nothing_is_near_and_nobody_asks(state: State) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants())
        node = Node("a", shared, state, None)
        await node.grants.keep(node.life, dict)  # returns at once
        assert not node.grants.is_near(10_000)
        assert not await node.grants.are_used_up({"a": node.member(is_idle=True)}, TABLE, None)

    run(scenario())


def test_nothing_may_begin_before_pages_are_granted(state: State) -> None:
    node = Node("a", SharedInMemory(Grants(100)), state, 100)
    assert node.grants.is_near(0)
    assert node.grants.is_waiting
    assert not node.grants.is_reached()


def test_what_is_under_way_counts_as_used(state: State) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants(40))
        node = Node("a", shared, state, 40)
        node.grants.is_near(0)
        async with kept(node):
            await until(lambda: not node.grants.is_near(0))
        (block,) = granted(shared).given.values()
        assert not node.grants.is_near(block - 1)
        assert node.grants.is_near(block)

    run(scenario())


@pytest.mark.parametrize("max_pages", [1, 7, 1_000])
def test_several_nodes_together_fetch_exactly_the_limit(state: State, max_pages: int) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants(max_pages))
        nodes = [Node(name, shared, state, max_pages) for name in "abc"]

        def fetch() -> None:
            for node in nodes:
                node.fetch_all()

        async with kept(*nodes):
            await until(lambda: sum(node.pages for node in nodes) >= max_pages, fetch)
        assert sum(node.pages for node in nodes) == max_pages
        assert granted(shared).left == 0
        living = {node.life: node.member() for node in nodes}
        assert await nodes[0].grants.are_used_up(living, TABLE, None)

    run(scenario())


def test_nobody_asks_for_more_than_is_needed(state: State) -> None:
    """One that is paused, or waits for its hosts, leaves the rest to others."""

    async def scenario() -> None:
        shared = SharedInMemory(Grants(200))
        paused, busy = Node("a", shared, state, 200), Node("b", shared, state, 200)
        paused.grants.is_near(0)
        async with kept(paused, busy):
            await until(lambda: paused.life in granted(shared).given)
            block = granted(shared).given[paused.life]
            await until(lambda: not granted(shared).left, busy.fetch_all)
        assert granted(shared).given == {paused.life: block, busy.life: 200 - block}

    run(scenario())


def test_who_has_nothing_to_do_gives_back_what_it_has_not_used(state: State) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants(100))
        node = Node("a", shared, state, 100)
        node.grants.is_near(0)
        async with kept(node):
            await until(lambda: not node.grants.is_near(0))
            node.context.counters.pages += 2
            node.grants.is_idle = lambda: True
            await until(lambda: granted(shared).left == 98)
        assert granted(shared).given == {node.life: 2}
        assert node.grants.is_near(0)

    run(scenario())


def test_a_grant_whose_acknowledgement_was_lost_is_not_taken_twice(state: State) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants(100))
        node = Node("a", shared, state, 100)
        node.grants.is_near(0)
        shared.loses_ack = True
        async with kept(node):
            await until(lambda: node.pages == 100, node.fetch_all)
        assert granted(shared) == Grants(0, {node.life: 100})

    run(scenario())


def test_what_was_given_back_without_an_acknowledgement_is_not_used(state: State) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants(100))
        node = Node("a", shared, state, 100)
        node.grants.is_near(0)
        async with kept(node):
            await until(lambda: not node.grants.is_near(0))
            shared.loses_ack, node.grants.is_idle = True, lambda: True
            await until(lambda: granted(shared).left == 100)
            await until(lambda: node.grants.is_near(0))
            node.grants.is_idle = lambda: False
            await until(lambda: node.pages == 100, node.fetch_all)
        assert granted(shared) == Grants(0, {node.life: 100})

    run(scenario())


# ── lives that are over ────────────────────────────────────────────────────────────────────────────────


def test_what_a_life_had_not_used_returns_once(state: State) -> None:
    async def scenario() -> None:
        shared = SharedInMemory(Grants(10, {"1-a": 30, "1-b": 20, "1-c": 5}))
        node = Node("c", shared, state, 65)
        over = [Member("1-a", "f", used=12, is_over=True), Member("1-b", "f", used=25, is_over=True)]
        await node.grants.take_back(over)
        assert granted(shared) == Grants(10 + 18, {"1-c": 5}), "nothing is taken from others for what 1-b had too much"
        await node.grants.take_back(over)
        assert granted(shared) == Grants(28, {"1-c": 5})

    run(scenario())


def conductor(shared: SharedInMemory, members: Members, node: Node) -> Conductor:
    settings = Settings("id", CrawlConfig(max_pages=100), 64, 30.0)
    return Conductor(node.life, settings, cast(Log, None), shared, members, node.grants, lambda: 1_000.0)


def test_a_crawl_whose_node_died_at_the_limit_ends_although_somebody_came_between(state: State) -> None:
    """Whoever buries it may fail to take its pages back, or die before: whoever writes the table does so later."""

    async def scenario() -> None:
        shared = SharedInMemory(Grants(0, {"1-a": 90, "1-z": 10}))
        node = Node("a", shared, state, 100)
        node.pages = 90
        members = Members(30.0)
        await shared.write_member("a", node.member(is_at_limit=True, is_idle=False), 0)
        await shared.write_member("z", Member("1-z", "f", used=4), 0)
        members.see(await shared.members(), 0.0)
        members.see({"a": (2, node.member(is_at_limit=True))}, 990.0)
        one = conductor(shared, members, node)

        def interfere() -> None:
            revision, grants = shared._grants
            shared._grants = (revision + 1, grants)
            shared.before_write = lambda: None

        shared.before_write = interfere
        await one.bury("a")
        for _ in range(3):
            revision, table = await shared.table()
            with suppress(TimeoutError):
                await one.conduct(revision, table, [0] * 4)
        assert granted(shared) == Grants(6, {"1-a": 90}), "six can still be fetched"
        shared._grants = (99, Grants(0, {"1-a": 96}))
        members.see({"a": (3, node.member(used=96, is_at_limit=True))}, 995.0)
        revision, table = await shared.table()
        assert (await one.conduct(revision, table, [0] * 4)).finished == "limit"

    run(scenario())


# ── the end ────────────────────────────────────────────────────────────────────────────────────────────


def at_limit(**used: int) -> dict[str, Member]:
    return {name: Member(f"1-{name}", "f", used=pages, is_at_limit=True) for name, pages in used.items()}


@pytest.mark.parametrize(
    ("grants", "living", "is_over"),
    [
        (Grants(0, {"1-a": 6, "1-b": 4}), at_limit(a=6, b=4), True),
        (Grants(1, {"1-a": 6, "1-b": 3}), at_limit(a=6, b=3), False),
        (Grants(0, {"1-a": 6, "1-b": 4}), at_limit(a=5, b=4), False),
        (Grants(0, {"1-a": 6, "1-z": 4}), at_limit(a=6), False),
        (Grants(0, {"1-a": 10}), {**at_limit(a=10), "b": Member("1-b", "f", is_idle=True)}, True),
        (Grants(0, {"1-a": 10}), {**at_limit(a=10), "b": Member("1-b", "f")}, False),
    ],
    ids=["all used", "some are left", "one has some", "a dead one had some", "one is idle", "one is busy"],
)
def test_a_crawl_ends_by_its_limit_once_all_of_it_is_used(
    state: State, grants: Grants, living: Mapping[str, Member], is_over: bool
) -> None:
    async def scenario() -> None:
        node = Node("a", SharedInMemory(grants), state, 10)
        assert await node.grants.are_used_up(living, TABLE, None) is is_over

    run(scenario())


def test_a_crawl_ends_by_its_deadline_and_by_its_bytes(state: State) -> None:
    async def scenario() -> None:
        node = Node("a", SharedInMemory(Grants()), state, None)
        living = {name: Member("1-x", "f", counts=Counts(bytes=500)) for name in "ab"}
        late = Table(64, deadline=node.clock.wall() + 5)
        assert not await node.grants.are_used_up(living, late, 1_001)
        assert await node.grants.are_used_up(living, late, 1_000)
        node.clock.advance(5)
        assert await node.grants.are_used_up(living, late, None)

    run(scenario())
