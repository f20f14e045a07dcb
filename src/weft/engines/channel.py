"""A socket between two engines of one machine, with messages on it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from weft.workers.frames import LENGTH_BYTES, frame

MOST_BUFFERED: Final = 1 << 20  # bytes on their way, beyond which it is full


class Channel:
    """Our end of it. Whoever sends does not wait; who may wait asks whether it is full."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kinds: Any) -> None:
        self._reader = reader
        self._writer = writer
        self._decode = msgspec.msgpack.Decoder(kinds).decode

    @classmethod
    async def open(cls, ours: socket.socket, kinds: Any) -> Channel:
        """On a socket that is connected; `kinds` are the messages that may come."""
        ours.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        return cls(reader, writer, kinds)

    @property
    def is_full(self) -> bool:
        """Whether the other side is behind with its reading."""
        return self._writer.transport.get_write_buffer_size() >= MOST_BUFFERED

    def send(self, message: msgspec.Struct) -> None:
        """To who is gone already, nothing is sent."""
        if not self._writer.is_closing():
            self._writer.write(frame(message))

    async def messages(self) -> AsyncIterator[Any]:
        """What comes, until the other side has closed it or died."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = int.from_bytes(await self._reader.readexactly(LENGTH_BYTES), "big")
                yield self._decode(await self._reader.readexactly(length))

    async def drain(self) -> None:
        """Wait until what was sent is with the system."""
        with suppress(ConnectionError):
            await self._writer.drain()

    def close(self) -> None:
        """Nothing more is sent or read."""
        self._writer.close()
