"""A way through loopback that can be cut: what stands between a node and NATS in tests."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, Self, TypeVar

from weft.cluster.servers import LOOPBACK, free_ports

T = TypeVar("T")
_CHUNK_BYTES = 65_536
_PATIENCE_S = 60.0


class Relay:
    """Listens on a port of its own and passes everything on to another, from a thread of its own.

    Clients learn no other address, as `weft.cluster.servers` tells the servers to advertise none.

        open ──cut()──▶ cut: connections are reset, new ones refused ──restore()──▶ open
        open ──pause()──▶ paused: connections stay, also new ones, and no byte passes ──restore()──▶ open, nothing lost
    """

    def __init__(self, target_port: int) -> None:
        (self.port,) = free_ports(1)
        self._target_port = target_port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._flows = asyncio.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self._listener: asyncio.Server | None = None
        self._pumps: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://{LOOPBACK}:{self.port}"

    def cut(self) -> None:
        """Reset every connection, and refuse new ones."""
        self._call(self._cut())

    def pause(self) -> None:
        """Hold every byte back, as a network that drops packets would."""
        self._call(self._pause())

    def restore(self) -> None:
        """Let everything through again."""
        self._call(self._restore())

    def __enter__(self) -> Self:
        self._thread.start()
        self.restore()
        return self

    def __exit__(self, *_: object) -> None:
        self._call(self._cut())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE_S)
        self._loop.close()

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_PATIENCE_S)

    async def _cut(self) -> None:
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        for task in self._pumps:
            task.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)
        for writer in self._writers:
            _reset(writer)
        self._writers.clear()
        await asyncio.sleep(0)  # transports close in the loop's next round

    async def _pause(self) -> None:
        self._flows.clear()

    async def _restore(self) -> None:
        self._flows.set()
        if self._listener is None:
            self._listener = await asyncio.start_server(self._accept, LOOPBACK, self.port)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self._pumps.add(task)
        try:
            await self._flows.wait()
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self._target_port)
            self._writers.add(far_writer)
            pumps = (self._pump(reader, far_writer), self._pump(far_reader, writer))
            await asyncio.gather(*pumps)
        except (OSError, asyncio.CancelledError):
            _reset(writer)
        finally:
            self._pumps.discard(task)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(_CHUNK_BYTES):
                await self._flows.wait()
                writer.write(chunk)
                await writer.drain()
        writer.close()


def _reset(writer: asyncio.StreamWriter) -> None:
    """Close it with RST, not with FIN."""
    connection = writer.get_extra_info("socket")
    if not writer.transport.is_closing():
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
