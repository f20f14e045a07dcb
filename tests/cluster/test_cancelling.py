"""Who is cancelled while waiting for a server ends, though nats-py may take that for time that is up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import nats.errors
import pytest
from nats.aio.client import Client

from weft.cluster.connection import LastingClient
from weft.cluster.log import NatsLog, NatsReader


async def cancelled_or_late(*_: object, **__: object) -> Any:
    """As Python 3.11's wait_for where both come at once."""
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise nats.errors.TimeoutError from None


def ends_when_cancelled(work: Callable[[], Awaitable[object]]) -> bool:
    async def persistently() -> None:
        for _ in range(2):
            try:
                await work()
            except nats.errors.TimeoutError:
                continue

    async def run() -> bool:
        task = asyncio.create_task(persistently())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task], timeout=1)
        has_ended = task.done()
        task.cancel()
        await asyncio.wait([task], timeout=1)
        return has_ended

    return asyncio.run(run())


def test_who_asks_a_server_can_be_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Client, "request", cancelled_or_late)
    assert ends_when_cancelled(lambda: LastingClient().request("subject"))


def test_who_reads_a_stream_can_be_cancelled() -> None:
    class Subscription:
        fetch = staticmethod(cancelled_or_late)

        async def consumer_info(self) -> None:
            raise nats.errors.TimeoutError

        async def unsubscribe(self) -> None:
            pass

    class FakeLog:
        _js: Any

        def __init__(self) -> None:
            self._js = self

        def _stream(self, stream: int) -> str:
            return str(stream)

        async def consumer(self, *_: object) -> tuple[str, int]:
            return "name", 0

        async def forget(self, *_: object) -> None:
            pass

        async def pull_subscribe_bind(self, **_: object) -> Subscription:
            return Subscription()

    reader = NatsReader(cast(NatsLog, FakeLog()), 0, ["end"], 0)
    assert ends_when_cancelled(reader.next)
