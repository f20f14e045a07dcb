"""A server in the test's own process, and a raw look at what it sends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import uvloop

from weft.simweb import SimServer, SimWeb, WebSpec
from weft.simweb.behaviour import Behaviour, TlsFault

from .reference import request_for

SPEC = WebSpec(seed=3, hosts=12, pages=120)
OWN = "own.test"
WITHIN_S = 60.0


def with_server(
    spec: WebSpec,
    use: Callable[[SimServer], Awaitable[None]],
    custom: dict[str, Behaviour] | None = None,
    *,
    tls_faults: dict[str, TlsFault] | None = None,
    https: bool | None = None,
) -> SimServer:
    """Serve, use, stop; gives back the stopped server. Custom behaviours are those of OWN."""
    entries = {(OWN, path): behaviour for path, behaviour in (custom or {}).items()}
    server = SimServer(SimWeb(spec, entries, tls_faults=tls_faults), https=https)

    async def run() -> None:
        async with asyncio.timeout(WITHIN_S), server:
            await use(server)

    uvloop.run(run())
    return server


@asynccontextmanager
async def connected(server: SimServer) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    try:
        yield reader, writer
    finally:
        writer.close()


@asynccontextmanager
async def asked(
    server: SimServer, *paths: str, host: str = OWN, method: str = "GET"
) -> AsyncIterator[asyncio.StreamReader]:
    """Requests sent at once on one connection; gives where the answers come."""
    async with connected(server) as (reader, writer):
        writer.write(b"".join(request_for(host, path, method) for path in paths))
        yield reader


async def until(holds: Callable[[], bool]) -> None:
    """Let the loop run until something holds; the test's own time limit ends a vain wait."""
    while not holds():  # noqa: ASYNC110  the server has no event for what a test may wait for
        await asyncio.sleep(0.001)


def seconds_taken(server: SimServer) -> float:
    """By the first request."""
    assert server.log[0].ended_at is not None
    return server.log[0].ended_at - server.log[0].started_at
