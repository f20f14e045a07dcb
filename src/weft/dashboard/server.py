"""uvicorn, on a socket that is there already. No connection may keep it waiting for ever."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import uvicorn
import uvloop
from uvicorn.protocols.http.h11_impl import H11Protocol

from weft.clock import Clock
from weft.dashboard.app import dashboard_app
from weft.dashboard.feed import Feed
from weft.dashboard.guard import Guard
from weft.dashboard.source import Source

LOOK_EVERY_S: Final = 10.0
MOST_CONNECTIONS: Final = 200
MOST_HEAD_BYTES: Final = 16 << 10


class WatchedConnection(H11Protocol):
    """A connection that is cut when for two looks in a row no request comes, or nothing is taken of what waits."""

    look_every_s = LOOK_EVERY_S
    _before = -1  # bytes that waited at the last look, of one that may have to be cut

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look."""
        super().connection_made(transport)
        self.loop.call_later(self.look_every_s, self._look)

    def _look(self) -> None:
        waiting = self.transport.get_write_buffer_size()
        if self.transport.is_closing() and not waiting:
            return
        is_idle = not self.cycle or self.cycle.response_complete
        if self._before == waiting and (waiting or is_idle):
            self.transport.abort()
            return
        self._before = waiting if waiting or is_idle else -1
        self.loop.call_later(self.look_every_s, self._look)


class _Server(uvicorn.Server):
    """Signals are left to whoever runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(
    source: Source,
    listener: socket.socket,
    token: str,
    allowed_hosts: Iterable[str] = (),
    *,
    until: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Answer browsers, until `until` is over, or by default until Ctrl-C."""
    uvloop.run(_serve(source, listener, Guard(listener.getsockname()[0], token, allowed_hosts), until or _signalled))


async def _serve(source: Source, listener: socket.socket, guard: Guard, until: Callable[[], Awaitable[None]]) -> None:
    feed = Feed(source, Clock())
    config = uvicorn.Config(
        dashboard_app(source, feed, guard),
        http=WatchedConnection,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    ending = asyncio.ensure_future(until())
    await asyncio.wait((serving, ending), return_when=asyncio.FIRST_COMPLETED)
    if feed.viewers:
        await feed.refresh()
    feed.end()
    server.should_exit = True
    await serving
    ending.cancel()
    await source.close()


async def _signalled() -> None:
    """Wait for Ctrl-C or its kin."""
    came = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:  # as `nohup` wants it
            loop.add_signal_handler(number, came.set)
    await came.wait()
