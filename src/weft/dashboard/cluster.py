"""A cluster's crawl, by its NATS servers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from nats.aio.client import Client

from weft.cluster import control
from weft.cluster.shared import told_when_away
from weft.dashboard.source import Trouble, read_command
from weft.errors import BadInput
from weft.live.commands import AddSeeds, Pause, Resume, Stop
from weft.url import split_login

WITHIN_S: Final = 5.0
SEEDS_WITHIN_S: Final = 60.0


class Drain(msgspec.Struct, frozen=True, tag="drain"):
    """Have a node hand its hosts to the others."""

    node: str


class Back(msgspec.Struct, frozen=True, tag="back"):
    """Let it have hosts again."""

    node: str


ClusterCommand = Pause | Resume | AddSeeds | Drain | Back | Stop


class ClusterSource:
    """It connects when it is first asked, in the event loop of who asks."""

    kind = "cluster"
    every_s = 2.0  # each reading is some twenty questions to the servers

    def __init__(self, crawl: str, connect: Callable[[], Awaitable[Client]]) -> None:
        self.name = crawl
        self._connect = connect
        self._client: Client | None = None
        self._commands = msgspec.json.Decoder(ClusterCommand)

    async def status(self) -> bytes:
        with _told():
            async with asyncio.timeout(WITHIN_S):
                return msgspec.json.encode(await control.status(await self._connected(), self.name))

    async def history(self) -> bytes:
        return b"[]"  # nobody keeps one

    async def metrics(self) -> str:
        raise Trouble("each node has metrics of its own: `weft dashboard` of its folder shows them")

    async def obey(self, body: bytes) -> str:
        command = read_command(body, self._commands)
        with told_when_away():
            async with asyncio.timeout(SEEDS_WITHIN_S):
                return await self._tell(await self._connected(), command)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def _tell(self, client: Client, command: ClusterCommand) -> str:
        match command:
            case Pause() | Resume():
                await control.pause(client, self.name, paused=isinstance(command, Pause))
                return "Told: paused." if isinstance(command, Pause) else "Told: it goes on."
            case AddSeeds(urls):
                added = await control.add_seeds(client, self.name, [_seed(url) for url in urls])
                return f"Told: seeds added, {added:,}."
            case Drain(node):
                await control.drain(client, self.name, node)
                return f"Told: {node} hands its hosts to the others."
            case Back(node):
                await control.drain(client, self.name, node, back=True)
                return f"Told: {node} gets hosts again."
            case Stop():
                await control.stop(client, self.name)
                return "Told: all nodes end."

    async def _connected(self) -> Client:
        if self._client is None:
            self._client = await self._connect()
        return self._client


def _seed(text: str) -> str:
    """Canonical; one with a login as it is, which is refused further on."""
    canonical, login = split_login(text)
    return text if login else canonical


@contextmanager
def _told() -> Iterator[None]:
    try:
        with told_when_away():
            yield
    except BadInput as error:
        raise Trouble(str(error)) from error
