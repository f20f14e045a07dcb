"""One connection: it carries one request at a time and tells the exchange what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

_MAX_EARLY_BYTES: Final = 64 * 1024
_IDLE_TOO_LONG: Final = b" 408"  # as it stands in a status line: so some servers end what is idle


class Receiver(Protocol):
    """Who waits for the bytes of a connection: an exchange, or whoever opens a tunnel for one."""

    def receive(self, data: bytes) -> None:
        """Take what has come."""

    def lose(self, error: Exception | None) -> None:
        """Nothing more will come; None when the other side closed in an orderly way."""


class Connection(asyncio.Protocol):
    """The protocol behind a transport. Nothing is awaited here; the receiver's future wakes the fetcher."""

    __slots__ = ("_early", "_may_send", "_on_lost", "_receiver", "address", "closed", "is_noisy", "transport")

    def __init__(
        self,
        address: str,
        on_lost: Callable[[Connection], None],
        *,
        server_speaks_first: bool = False,
        may_send: Callable[[], bool] | None = None,
    ) -> None:
        self.address = address  # the IP address at the other end
        self.closed = False  # or about to be: no new request may go out
        self.is_noisy = False  # bytes came that nobody had asked for
        self.transport: asyncio.Transport | None = None  # None before and after its life; TLS replaces it
        self._on_lost = on_lost
        self._may_send = may_send  # asked before each request; None: always
        self._receiver: Receiver | None = None
        self._early: bytearray | None = bytearray() if server_speaks_first else None  # what came before `start`

    def start(self, request: bytes, receiver: Receiver) -> None:
        """Send a request; what comes from now on is for the receiver."""
        if self._early:
            early = bytes(self._early)
            self._early.clear()
            receiver.receive(early)
        if self.transport is None:
            receiver.lose(None)  # the server has hung up already
            return
        self._receiver = receiver
        self.send(request)

    def send(self, data: bytes) -> None:
        """Send a request, or a part of one, unless nothing may be sent any more: then the connection is closed."""
        if self._may_send is not None and not self._may_send():
            self.abort()
        elif self.transport is not None:
            self.transport.write(data)

    def keep_early(self, data: bytes) -> None:
        """Bytes that a receiver got and the next one wants, where the server speaks first; elsewhere they are noise."""
        if self._early is not None:
            self._early += data

    def detach(self) -> None:
        """The response is over; nothing is expected any more."""
        self._receiver = None

    def abort(self) -> None:
        """Close at once."""
        self.closed = True
        if self.transport is not None:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are Transports in all but their class.
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._receiver is not None:
            self._receiver.receive(data)
        elif self._early is not None and len(self._early) < _MAX_EARLY_BYTES:
            self._early += data
        else:
            self.is_noisy = data[8:12] != _IDLE_TOO_LONG
            self.abort()  # bytes that nobody asked for would be taken for the next response

    def eof_received(self) -> None:
        self.closed = True  # the transport closes itself now, and connection_lost follows

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True
        self.transport = None
        self._on_lost(self)
        if self._receiver is not None:
            self._receiver.lose(error)
