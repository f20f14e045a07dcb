"""Real NATS servers for the tests, as fixtures: `nats` is a single one, `nats3` are three."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import nats.errors
import pytest
from nats.js.errors import NoStreamResponseError, ServiceUnavailableError

from tests.scratch import scratch_folder
from weft.cluster.servers import Servers

T = TypeVar("T")
_PATIENCE_S = 60.0
_NO_LEADER = (nats.errors.TimeoutError, ServiceUnavailableError, NoStreamResponseError)


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
