"""What a person does with a crawl, on a real server."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest
from nats.aio.client import Client

from weft.cluster.control import LONGEST_LEASE_S, remove_crawl
from weft.cluster.members import Member
from weft.cluster.servers import Servers
from weft.cluster.shared import Settings, create, is_one
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput

from .crawling import with_client


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
