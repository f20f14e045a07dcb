"""Real NATS servers for the tests, as fixtures: `nats` is a single one, `nats3` are three."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

import nats.errors
import pytest
from nats.aio.client import Client
from nats.js.errors import NoStreamResponseError, ServiceUnavailableError

from tests.scratch import scratch_folder
from weft.cluster import servers as servers_module
from weft.cluster.connection import connect
from weft.cluster.servers import Servers
from weft.errors import BadInput

T = TypeVar("T")
_PATIENCE_S = 60.0
_NO_LEADER = (nats.errors.TimeoutError, ServiceUnavailableError, NoStreamResponseError)


def own_ports(ports: range, worker: str, workers: int) -> range:
    """Those of this process of pytest, so that none takes a port that another has just found free."""
    return ports[int(worker.removeprefix("gw")) :: workers] if worker else ports


servers_module._PORTS = own_ports(
    servers_module._PORTS,
    os.environ.get("PYTEST_XDIST_WORKER", ""),
    int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")),
)


async def connected(urls: Sequence[str]) -> Client:
    """A client, of servers that may get no CPU for longer than weft would wait for them."""
    give_up_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return await connect(urls, name="test")
        except (BadInput, nats.errors.TimeoutError):
            if time.monotonic() > give_up_at:
                raise


@asynccontextmanager
async def client_of(urls: Sequence[str]) -> AsyncIterator[Client]:
    """The same, for a block."""
    client = await connected(urls)
    try:
        yield client
    finally:
        await client.close()


async def answered(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer: after a kill the servers have no leader for some seconds, and say nothing."""
    give_up_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return await ask()
        except _NO_LEADER:
            if time.monotonic() > give_up_at:
                raise


@pytest.fixture(name="nats", scope="module")
def single_server() -> Iterator[Servers]:
    """One server; its streams are gone after the module, so each test has names of its own."""
    with scratch_folder() as folder, Servers(folder, count=1) as servers:
        yield servers


@pytest.fixture(name="nats3", scope="module")
def three_servers() -> Iterator[Servers]:
    """Three servers; a test that ends one starts it again."""
    with scratch_folder() as folder, Servers(folder, count=3) as servers:
        yield servers
