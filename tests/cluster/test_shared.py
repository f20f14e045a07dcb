"""The shared values on a real server."""

from __future__ import annotations

from nats.aio.client import Client

from weft.cluster.members import Member
from weft.cluster.servers import Servers
from weft.cluster.shared import Settings, create
from weft.cluster.table import Table
from weft.config import CrawlConfig

from .crawling import with_client


def test_looking_at_the_nodes_needs_no_consumer_of_which_a_server_has_a_thousand(nats: Servers) -> None:
    async def look(client: Client) -> int:
        settings = Settings("id", CrawlConfig(), 64, 6.0)
        shared = await create(client, "looks", settings, Table(64, owners=[-1] * 64), 1)
        assert await shared.members() == {}
        entries = {name: Member(f"1-{name}", "folder") for name in ("b", "a")}
        written = {name: (await shared.write_member(name, one, 0), one) for name, one in entries.items()}
        assert await shared.members() == written
        return (await client.jetstream().stream_info("KV_weft-looks-nodes")).state.consumer_count

    assert with_client(nats.urls, look) == 0
