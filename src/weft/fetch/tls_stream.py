"""TLS between a connection and its TCP transport.

    TCP transport ──encrypted──▶ TlsStream ──plain──▶ Connection
          ◀────────────────────      │     ◀──write──

The event loop's own TLS is not used. uvloop's keeps a buffer of 256 KiB a connection and makes a new object of that
size for each record. Measured over loopback:

|                                        | here  | uvloop |
|----------------------------------------|-------|--------|
| memory of an idle connection, 26 KB pages  | 34 KB | 88 KB  |
| the same after 900 KB pages            | 52 KB | 470 KB |
| CPU of a page on a kept connection     | 60 µs | 110 µs |
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Final, cast

from weft.fetch.connection import Connection

_RECORD_BYTES: Final = 16 * 1024  # no TLS record holds more
_FEED_BYTES: Final = 64 * 1024  # OpenSSL's buffer grows to the largest piece it was ever fed, and stays so


async def shake_hands(connection: Connection, context: ssl.SSLContext, name: str) -> None:
    """Put TLS under a connection. OSError, ssl.SSLError among them, when that fails."""
    if connection.transport is None or connection.closed:
        raise ConnectionResetError
    stream = TlsStream(connection, connection.transport, context, name)
    await stream.start()


class TlsStream(asyncio.Protocol):
    """To the TCP transport it is the protocol, to the connection it is the transport."""

    __slots__ = (
        "_connection",
        "_error",
        "_incoming",
        "_lost",
        "_outgoing",
        "_shaken",
        "_tls",
        "_transport",
    )

    def __init__(
        self, connection: Connection, transport: asyncio.Transport, context: ssl.SSLContext, name: str
    ) -> None:
        self._connection = connection
        self._transport = transport
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        self._shaken: asyncio.Future[None] | None = asyncio.get_running_loop().create_future()
        self._error: ssl.SSLError | None = None
        self._lost = False

    async def start(self) -> None:
        """Have the handshake."""
        assert self._shaken is not None
        self._transport.set_protocol(self)
        self._shake()
        await self._shaken
        if self._lost:  # since the handshake's end, and nobody was told
            raise ConnectionResetError
        self._shaken = None
        self._connection.connection_made(cast(asyncio.Transport, self))
        self._read()  # what came with the end of the handshake

    def write(self, data: bytes) -> None:
        """Send."""
        try:
            sent = self._tls.write(data)
            while sent < len(data):
                sent += self._tls.write(data[sent:])
        except ssl.SSLError as error:
            self._fail(error)
        else:
            self._flush()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if len(data) <= _FEED_BYTES:
            self._feed(data)
            return
        view = memoryview(data)
        for start in range(0, len(data), _FEED_BYTES):
            self._feed(view[start : start + _FEED_BYTES])

    def eof_received(self) -> None:
        # Without close_notify too: servers forget it, browsers do not mind, and framing tells what is whole.
        self._connection.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._lost = True
        if self._shaken is None:
            self._connection.connection_lost(self._error or error)
        elif not self._shaken.done():
            self._shaken.set_exception(error or ConnectionResetError())

    def _feed(self, data: bytes | memoryview) -> None:
        self._incoming.write(data)
        if self._shaken is None:
            self._read()
        elif not self._shaken.done():
            self._shake()

    def _shake(self) -> None:
        assert self._shaken is not None
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._shaken.set_exception(error)
        else:
            self._shaken.set_result(None)
        self._flush()

    def _read(self) -> None:
        try:
            while self._incoming.pending or self._tls.pending():
                data = self._tls.read(_RECORD_BYTES)
                if not data:  # close_notify
                    self._connection.eof_received()
                    self._transport.close()
                    break
                self._connection.data_received(data)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError as error:
            self._fail(error)
            return
        if self._outgoing.pending:
            self._flush()

    def _flush(self) -> None:
        if data := self._outgoing.read():
            self._transport.write(data)

    def _fail(self, error: ssl.SSLError) -> None:
        self._error = error
        self._transport.abort()
