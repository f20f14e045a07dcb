"""What a person does with a crawl, on a real server."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from nats.aio.client import Client

from weft.cluster.control import _publish_seeds, add_seeds, remove_crawl, start
from weft.cluster.events import Found, LogDamaged, Scope, from_bytes
from weft.cluster.holdings import Shares
from weft.cluster.lease import LONGEST_LEASE_S
from weft.cluster.log import NatsLog
from weft.cluster.members import Member
from weft.cluster.servers import Servers
from weft.cluster.shared import Settings, create, is_one
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput

from .crawling import with_client

FIRST, SECOND = "http://first.test/", "http://second.test/"


async def seeds_in(log: NatsLog) -> tuple[list[str], dict[str, int]]:
    """Those of the scope, and the numbers of those to be visited by their hosts."""
    scope: list[str] = []
    links: dict[str, int] = {}
    for stream, end in enumerate(await log.ends()):
        async for messages in log.replay(stream, [">"], 0, end):
            for event in (from_bytes(message.data) for message in messages):
                if isinstance(event, Scope):
                    scope += event.seeds
                elif isinstance(event, Found):
                    links |= {one.host: one.seed for one in event.urls}
    return scope, links


def test_a_start_that_was_broken_off_leaves_no_seeds_to_the_next_one(nats: Servers) -> None:
    async def start_twice(client: Client) -> tuple[list[str], dict[str, int]]:
        log = NatsLog(client, "half")
        await log.create(1)
        await _publish_seeds(log, Shares(64), [FIRST])
        await start(client, "half", CrawlConfig(seeds=(SECOND,)), buckets=64, replicas=1)
        return await seeds_in(log)

    assert with_client(nats.urls, start_twice) == ([SECOND], {"second.test": 0})


def test_what_a_start_has_left_that_was_broken_off_can_be_removed(nats: Servers) -> None:
    async def remove_twice(client: Client) -> None:
        log = NatsLog(client, "left")
        await log.create(1)
        await remove_crawl(client, "left")
        with pytest.raises(LogDamaged):
            await log.ends()
        with pytest.raises(BadInput, match="there is no crawl named left"):
            await remove_crawl(client, "left")

    with_client(nats.urls, remove_twice)


def test_seeds_that_are_added_have_numbers_of_their_own(nats: Servers) -> None:
    async def add(client: Client) -> dict[str, int]:
        await start(client, "more", CrawlConfig(seeds=(FIRST, SECOND)), buckets=64, replicas=1)
        await add_seeds(client, "more", ["http://third.test/", FIRST, "http://fourth.test/"])
        return (await seeds_in(NatsLog(client, "more")))[1]

    numbers = {"first.test": 0, "second.test": 1, "third.test": 2, "fourth.test": 3}
    assert with_client(nats.urls, add) == numbers


def test_a_crawl_is_removed_once_all_its_nodes_were_silent_for_longer_than_their_leases(
    nats: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def remove_twice(client: Client) -> bool:
        settings = Settings("id", CrawlConfig(), 64, LONGEST_LEASE_S)
        shared = await create(client, "killed", settings, Table(64, owners=[-1] * 64), 1)
        await shared.write_member("a", Member("1-a", "folder"), 0)
        with pytest.raises(BadInput, match="nodes work on it: a"):
            await remove_crawl(client, "killed")
        later = SimpleNamespace(time=lambda: time.time() + 2 * LONGEST_LEASE_S)
        monkeypatch.setattr("weft.cluster.shared.time", later)
        await remove_crawl(client, "killed")
        return await is_one(client, "killed")

    assert not with_client(nats.urls, remove_twice)
