"""A node from its folder to its end, where no server is needed."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import nats.errors
import pytest
from nats.aio.client import Client

from weft.cluster.life import Identity
from weft.cluster.node import Node
from weft.cluster.shared import Settings, Shared, told_when_away
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.pipeline.engine import Ending


class AwayServers:
    """They do not answer; when they are asked for the second time, somebody stops the node."""

    def __init__(self) -> None:
        self.asked = 0
        self.node: Node | None = None

    async def table(self) -> tuple[int, Table]:
        self.asked += 1
        if self.asked == 2:
            assert self.node is not None
            self.node.stop()
        raise nats.errors.TimeoutError


def test_a_node_waits_for_servers_that_are_away_and_can_be_stopped_then(tmp_path: Path) -> None:
    servers = AwayServers()
    settings = Settings("id", CrawlConfig(), 64, 6.0)
    shared, client = cast(Shared, servers), cast(Client, None)
    node = servers.node = Node(client, "trial", settings, shared, tmp_path, Identity("a", "folder"))
    assert asyncio.run(node.run()) is Ending.INTERRUPTED
    assert servers.asked == 2


def test_servers_that_do_not_answer_a_person_are_told_in_a_sentence() -> None:
    with pytest.raises(BadInput, match="do not answer in time"), told_when_away():
        raise nats.errors.TimeoutError
