"""One connection of a client: requests come in, one after the other, and each is played to its end.

Requests that arrive early (pipelining) wait here and are answered in order. Whether the bytes go over TCP or
over TLS, the connection does not see: its transport is a socket's, or that of `tls`.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable
from typing import ParamSpec, Protocol, cast

import msgspec

from weft.simweb.ask import Ask, read_ask
from weft.simweb.behaviour import CountedBy, Fixed
from weft.simweb.model import ANY_PATH, SimWeb
from weft.simweb.play import play
from weft.simweb.requestlog import UNFINISHED, Request, RequestLog

P = ParamSpec("P")

_MAX_HEAD_BYTES = 65_536
_BAD_REQUEST = Fixed(b"Bad request\n", 400, "text/plain", keep_alive=False)
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER on, for 0 seconds


def client_of(transport: asyncio.BaseTransport) -> str:
    """The IP address at the other end; empty if it was gone before it could be asked for."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if peer else ""


class Open(Protocol):
    """What a server has to end when it stops."""

    gone: asyncio.Event

    def abandon(self) -> None:
        """Leave at once."""


class Shared(msgspec.Struct):
    """What all connections of a server share."""

    web: SimWeb
    log: RequestLog
    # How often URLs and hosts that fail at first have been asked, once they are.
    attempts: dict[tuple[str, str], int] = {}
    open: set[Open] = set()
    connections_accepted: int = 0


class Connection(asyncio.Protocol):
    """The server's end of a connection, and the few moves from which every behaviour is made."""

    def __init__(self, shared: Shared, number: int, *, tls: bool = False, sni: str = "") -> None:
        self.web = shared.web
        self.ask: Ask | None = None  # what is being answered now
        self.wants_more: Callable[[], None] | None = None  # called when the client has taken what was sent
        self.paused = False  # the client takes no more for now
        self.gone = asyncio.Event()
        self._shared = shared
        self._log = shared.log
        self._number = number
        self._tls = tls
        self._scheme = "https" if tls else "http"
        self._sni = sni
        self._address = ""
        self._client = ""
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._request: Request | None = None
        self._sent_at = 0.0  # the last bytes of the request under way; 0: none were
        # Filled by data_received, emptied by _serve_waiting; at _MAX_HEAD_BYTES reading pauses.
        self._unread = b""
        self._timer: asyncio.TimerHandle | None = None
        self._serving = False

    # ── what the event loop calls ──

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._address = transport.get_extra_info("sockname")[0]
        self._client = client_of(transport)
        self._shared.open.add(self)

    def data_received(self, data: bytes) -> None:
        self._unread = self._unread + data if self._unread else data
        if self.ask is None:
            self._serve_waiting()
        elif len(self._unread) > _MAX_HEAD_BYTES and self._transport:
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        self.gone.set()
        self.wants_more = None
        self._shared.open.discard(self)
        if self._timer:
            self._timer.cancel()
        self._end_request(UNFINISHED)

    def pause_writing(self) -> None:
        self.paused = True

    def resume_writing(self) -> None:
        self.paused = False
        if self.wants_more:
            self.wants_more()

    # ── what a behaviour is made of ──

    def attempt(self, counted_by: CountedBy) -> int:
        """How often this URL or host has been asked, this time included. Kept only for those that ask."""
        assert self.ask
        key = (self.ask.host, self.ask.path if counted_by is CountedBy.URL else ANY_PATH)
        attempts = self._shared.attempts
        attempts[key] = attempts.get(key, 0) + 1
        return attempts[key]

    def note(self, *, status: int | None = None, fault: str | None = None) -> None:
        """Write into the log what happens to this request."""
        if self._request:
            self._request.status = self._request.status if status is None else status
            self._request.fault = self._request.fault if fault is None else fault

    def send(self, data: bytes) -> None:
        """Hand bytes to the client."""
        if self._transport:
            self._sent_at = time.monotonic()  # before: on a busy machine the client may have them long before we go on
            self._transport.write(data)

    def later(self, delay_s: float, move: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Do something after a while, unless the connection is gone by then."""
        self._timer = self._loop.call_later(delay_s, lambda: move(*args, **kwargs))

    def finish(self, *, keep_alive: bool) -> None:
        """The response is whole: go on with the next request, or close."""
        keep_alive = keep_alive and self.ask is not None and self.ask.keep_alive
        self.wants_more = None
        self._end_request()
        if not keep_alive:
            self.close()
        elif not self._serving:
            self._serve_waiting()

    def close(self) -> None:
        """Close in the orderly way, after what was sent."""
        self._end_request()
        if self._transport:
            self._transport.close()

    def reset(self) -> None:
        """Break the connection off, so that the client sees a reset."""
        self._end_request()
        if self._transport:
            sock: socket.socket = self._transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self._transport.abort()

    def abandon(self) -> None:
        """The server stops: leave at once, with whatever is under way unfinished."""
        if self._transport:
            self._transport.abort()

    # ── requests, one after the other ──

    def _serve_waiting(self) -> None:
        """Answer the requests that have arrived, as far as that goes without waiting."""
        self._serving = True
        while self.ask is None and self._unread and self._transport and not self._transport.is_closing():
            end = self._unread.find(b"\r\n\r\n")
            if end < 0 and len(self._unread) <= _MAX_HEAD_BYTES:
                break
            head, self._unread = self._unread[: max(end, 0)], self._unread[end + 4 :]
            self._serve(read_ask(head))
        self._serving = False

    def _serve(self, ask: Ask | None) -> None:
        self.ask = ask or Ask(host="", path="", head_only=False, keep_alive=False)
        self._sent_at = 0.0
        self._request = self._log.start(
            self.ask.host,
            self.ask.path,
            self._number,
            time.monotonic(),
            self._address,
            self._scheme,
            self._sni,
            self._client,
        )
        play(self, self.web.answer(ask.host, ask.path, tls=self._tls) if ask else _BAD_REQUEST)

    def _end_request(self, fault_unless_known: str = "") -> None:
        if self._request:
            self._request.fault = self._request.fault or fault_unless_known
            self._log.end(self._request, self._sent_at or time.monotonic())
        self._request = None
        self.ask = None
        if self._transport and not self._transport.is_reading() and not self._transport.is_closing():
            self._transport.resume_reading()
