"""The log on a real server: what readers leave behind there."""

from __future__ import annotations

import asyncio

from nats.aio.client import Client

from weft.cluster.log import STREAMS, NatsLog
from weft.cluster.servers import Servers

from .crawling import with_client

TRIES = 5
LOOK_EVERY_S = 0.05
LOOKS = 400  # by itself a consumer would go after 60 s


async def await_no_consumers(client: Client, stream: str) -> None:
    """A consumer that was deleted may be there for another moment."""
    for _ in range(LOOKS):
        if not (await client.jetstream().stream_info(stream)).state.consumer_count:
            return
        await asyncio.sleep(LOOK_EVERY_S)
    raise AssertionError("consumers are left")


def test_a_reader_that_was_closed_leaves_no_consumer_on_the_server(nats: Servers) -> None:
    async def read(client: Client) -> list[bytes]:
        log = NatsLog(client, "readers")
        await log.create(1)
        end = await log.publish(0, "f.0", b"event")
        heard = []
        for _ in range(TRIES):
            heard += [one.data async for messages in log.replay(0, ["f.0"], 0, end) for one in messages]
            reader = log.read(0, ["f.0"], 0)
            heard += [one.data for one in await reader.next()]
            await reader.close()
        await await_no_consumers(client, "WEFT_readers_0")
        return heard

    assert with_client(nats.urls, read) == [b"event"] * 2 * TRIES


def test_a_reader_that_is_cancelled_leaves_no_consumer_on_the_server(nats: Servers) -> None:
    async def read(client: Client) -> None:
        log = NatsLog(client, "cancelled")
        await log.create(1)
        ready = asyncio.Event()

        async def read_on(stream: int) -> None:
            reader = log.read(stream, ["f.0"], 0)
            try:
                while True:
                    await reader.next()
                    ready.set()
            finally:
                await reader.close()

        for stream in range(STREAMS):
            ready.clear()
            reading = asyncio.ensure_future(read_on(stream))
            await ready.wait()
            assert (await client.jetstream().stream_info(f"WEFT_cancelled_{stream}")).state.consumer_count == 1
            reading.cancel()
            await asyncio.wait([reading])
            assert reading.cancelled()
            await await_no_consumers(client, f"WEFT_cancelled_{stream}")

    with_client(nats.urls, read)
