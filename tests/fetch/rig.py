"""A fetcher and, on the other side of a loopback socket, a server that follows a script byte by byte."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import uvloop

from weft.clock import Clock
from weft.errors import FetchError
from weft.fetch import FetchConfig, Fetcher, MemoryBudget, Validators
from weft.types import Fetched
from weft.url import Target

T = TypeVar("T")

ADDRESS = "127.0.0.1"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Visitor:
    """One accepted connection, as the script sees it."""

    def __init__(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.number = number  # 0 for the first connection
        self._reader = reader
        self._writer = writer

    async def request(self) -> bytes:
        """Wait for a request."""
        return await self._reader.readuntil(b"\r\n\r\n")

    async def receive(self) -> bytes:
        """Wait for bytes of any kind."""
        return await self._reader.read(65536)

    async def send(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)
        await self._writer.drain()

    def close(self) -> None:
        """Hang up, in an orderly way."""
        self._writer.close()

    def close_without_notice(self) -> None:
        """Hang up by an end of the TCP stream, without TLS's close_notify before it."""
        self._writer.get_extra_info("socket").shutdown(socket.SHUT_WR)

    def tls(self) -> ssl.SSLObject:
        """What the handshake has agreed on."""
        tls: ssl.SSLObject = self._writer.get_extra_info("ssl_object")
        return tls

    def reset(self) -> None:
        """Hang up by a reset."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    async def relay(self, port: int, piece_bytes: int = 65536) -> None:
        """Become a tunnel to another server on this machine; what comes back comes in pieces of this size."""
        reader, writer = await asyncio.open_connection(ADDRESS, port)
        back = asyncio.create_task(_pump(reader, self._writer, piece_bytes))
        try:
            await _pump(self._reader, writer, 65536)
        finally:
            back.cancel()
            writer.close()

    async def hold(self) -> None:
        """Keep the connection open until the fetcher closes it."""
        while await self._reader.read(65536):
            pass


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, piece_bytes: int) -> None:
    while data := await reader.read(piece_bytes):
        writer.write(data)
        await writer.drain()
        await asyncio.sleep(0)


Script = Callable[[Visitor], Awaitable[None]]


async def serve_pages(visitor: Visitor) -> None:
    """The script of a server without faults."""
    while True:
        await visitor.request()
        await visitor.send(PAGE)


class RawServer:
    """Runs the script for every connection."""

    def __init__(self, script: Script) -> None:
        self.connections = 0
        self.clients: list[str] = []  # the IP address of each
        self.port = 0
        self._script = script
        self._tasks: set[asyncio.Task[None]] = set()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Called for every connection."""
        visitor = Visitor(self.connections, reader, writer)
        self.connections += 1
        self.clients.append(writer.get_extra_info("peername")[0])
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._script(visitor)
        except (asyncio.IncompleteReadError, OSError):
            pass  # the fetcher has gone
        except asyncio.CancelledError:
            pass  # the test is over
        finally:
            self._tasks.discard(task)
            if not writer.transport.is_closing():
                writer.transport.abort()

    async def stop(self) -> None:
        """End all scripts."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks)


class Rig:
    """What a test holds in its hands."""

    def __init__(self, server: RawServer, fetcher: Fetcher, budget: MemoryBudget, spool_dir: Path, scheme: str) -> None:
        self.server = server
        self.fetcher = fetcher
        self.budget = budget
        self.spool_dir = spool_dir
        self.scheme = scheme

    async def fetch(
        self,
        path: str = "/",
        *,
        host: str = "site.test",
        addresses: Sequence[str] = (ADDRESS,),
        max_body_bytes: int | None = None,
        validators: Validators | None = None,
    ) -> Fetched:
        """Fetch from the scripted server."""
        target = Target(self.scheme, host, self.server.port, path)
        url = f"{self.scheme}://{host}:{self.server.port}{path}"
        return await self.fetcher.fetch(url, target, addresses, max_body_bytes=max_body_bytes, validators=validators)

    async def fetch_error(self, *, host: str = "site.test", addresses: Sequence[str] = (ADDRESS,)) -> FetchError:
        """Fetch, and fail the test if that works."""
        try:
            fetched = await self.fetch(host=host, addresses=addresses)
        except FetchError as error:
            return error
        raise AssertionError(f"a response came: {fetched}")

    def spooled(self) -> list[Path]:
        """The spool files that there are."""
        return sorted(self.spool_dir.iterdir()) if self.spool_dir.exists() else []


@asynccontextmanager
async def serving(
    script: Script, *, address: str = ADDRESS, port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[RawServer]:
    """A server with this script."""
    server = RawServer(script)
    listener = await asyncio.start_server(server.accept, address, port, backlog=1000, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        await server.stop()


@asynccontextmanager
async def rigged(
    folder: Path,
    script: Script,
    *,
    clock: Clock | None = None,
    budget: MemoryBudget | None = None,
    address: str = ADDRESS,
    tls: ssl.SSLContext | None = None,
    scheme: str = "",
    **settings: Any,
) -> AsyncIterator[Rig]:
    """A server with this script and a fetcher with these settings."""
    async with serving(script, address=address, tls=tls) as server:
        budget = budget or MemoryBudget()
        config = FetchConfig(**{"sweep_interval_s": 0.02, **settings})
        fetcher = Fetcher(config, budget, folder / "spool", clock or Clock())
        try:
            yield Rig(server, fetcher, budget, folder / "spool", scheme or ("https" if tls else "http"))
        finally:
            await fetcher.close()
            assert fetcher.statistics().open == 0


@contextmanager
def deaf_listener(address: str = ADDRESS, port: int = 0) -> Iterator[int]:
    """A port where nobody accepts: its queue is full, and the kernel drops what asks to be connected."""
    with ExitStack() as stack:
        deaf = stack.enter_context(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET))
        deaf.bind((address, port))
        deaf.listen(0)
        for _ in range(4):
            filler = stack.enter_context(socket.socket(deaf.family))
            filler.setblocking(False)
            filler.connect_ex(deaf.getsockname())
        yield deaf.getsockname()[1]


def open_sockets() -> int:
    """How many sockets this process holds, on both sides."""
    links = []
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # the descriptor of this very listing
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    return sum(link.startswith("socket:") for link in links)


def open_sockets_before() -> int:
    """Likewise, without those that earlier tests have left to the garbage collector."""
    gc.collect()
    return open_sockets()


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until something has happened; `run` bounds the time."""
    while not condition():  # noqa: ASYNC110  (what is waited for tells nobody)
        await asyncio.sleep(0.001)


def run(scenario: Coroutine[Any, Any, T]) -> T:
    """Run a test's scenario, bounded in time."""

    async def bounded() -> T:
        async with asyncio.timeout(60):
            return await scenario

    return uvloop.run(bounded())
