"""An HTTP proxy (RFC 9110 §7, §9.3.6): http is handed to it as a whole request, the rest goes through a tunnel.

    http    GET http://example.org/a  ──▶ proxy ──▶ server
    https   CONNECT example.org:443   ──▶ proxy ══▶ server     TLS and the request itself are none of its business
    ftp     CONNECT example.org:21    ──▶ proxy ══▶ server     and a second tunnel for each file

What the archive keeps is the request for the server, `GET /a`, in both cases: that is what the proxy makes of it
by its duty, what names the same page on every way, and it holds no password for the proxy.

Many proxies allow tunnels to port 443 only: FTP cannot go by them.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from weft.errors import FetchError
from weft.fetch.connection import Connection
from weft.fetch.dial import MakeConnection
from weft.fetch.http1 import ResponseReader
from weft.fetch.local_address import LocalAddress
from weft.fetch.pool import Key
from weft.fetch.proxy_server import ProxyServer
from weft.fetch.request import authority
from weft.fetch.route import Route
from weft.types import Outcome
from weft.url import Target

_DEFAULT_PORT: Final = 80
_MAX_ANSWER_BYTES: Final = 64 * 1024
_AUTHENTICATION_REQUIRED: Final = 407
# Answers to CONNECT that tell of the server, not of the proxy.
_OUTCOMES: Final = {502: Outcome.UNREACHABLE, 503: Outcome.UNREACHABLE, 504: Outcome.CONNECT_TIMEOUT}


class HttpProxy(Route):
    """The way by one proxy. The addresses of a target do not matter: the proxy looks its name up."""

    by_name = True

    def __init__(self, url: str, local: LocalAddress | None = None) -> None:
        self._server = ProxyServer(url, ("http",), _DEFAULT_PORT, local)
        self._authorization = _authorization(self._server)

    async def open(
        self, target: Target, addresses: Sequence[str], make_connection: MakeConnection, deadline_s: float
    ) -> Connection:
        """A connection to the proxy, or through it."""
        connection = await self._server.dial(make_connection, deadline_s)
        if target.scheme != "http":
            await self._tunnel(connection, target, deadline_s)
        return connection

    def key(self, target: Target) -> Key:
        """The proxy itself for http: any connection to it serves any host."""
        if target.scheme == "http":
            return "http", self._server.host, self._server.port
        return target[:3]

    def may_reuse(self, connection: Connection, addresses: Sequence[str]) -> bool:
        """Always: all connections go to the proxy, and that is where the user wants them to go."""
        return True

    def wire(self, request: bytes, target: Target) -> bytes:
        """In absolute form, where the proxy reads it."""
        if target.scheme != "http":
            return request
        method, _, rest = request.partition(b" ")
        line, _, headers = rest.partition(b"\r\n")
        return b"%b http://%b%b\r\n%b%b" % (method, authority(target).encode(), line, self._authorization, headers)

    def fault(self, target: Target, status: int) -> Outcome | None:
        """No server may answer 407, only a proxy; within a tunnel it cannot be the proxy."""
        if target.scheme == "http" and status == _AUTHENTICATION_REQUIRED:
            return Outcome.PROXY_FAILED
        return None

    async def _tunnel(self, connection: Connection, target: Target, deadline_s: float) -> None:
        host = f"[{target.host}]" if ":" in target.host else target.host
        place = f"{host}:{target.port}".encode()
        request = b"CONNECT %b HTTP/1.1\r\nHost: %b\r\n%b\r\n" % (place, place, self._authorization)
        opening = _TunnelOpening(asyncio.get_running_loop().create_future(), connection)
        connection.start(request, opening)
        try:
            async with asyncio.timeout_at(deadline_s):
                await opening.opened
        except TimeoutError as error:
            connection.abort()
            raise FetchError(Outcome.PROXY_FAILED, "no answer to CONNECT in time") from error
        except (FetchError, asyncio.CancelledError):
            connection.abort()
            raise
        finally:
            connection.detach()


class _TunnelOpening:
    """Waits for the answer to CONNECT. What follows it is the server's: an FTP server speaks first."""

    __slots__ = ("_connection", "_reader", "_received", "opened")

    def __init__(self, opened: asyncio.Future[None], connection: Connection) -> None:
        self.opened = opened
        self._connection = connection
        self._reader = ResponseReader(head_request=True, max_head_bytes=_MAX_ANSWER_BYTES)
        self._received = b""

    def receive(self, data: bytes) -> None:
        """Take the answer, or a piece of it."""
        if self.opened.done():
            self._connection.keep_early(data)
            return
        self._received += data
        reader = self._reader
        reader.feed(data)
        if reader.fault is not None:
            self._fail(f"the answer to CONNECT is bad: {reader.fault.detail}")
        elif reader.head_done and not 200 <= reader.status < 300:
            words = reader.head.split(b"\n", 1)[0].decode("latin-1").strip()
            outcome = _OUTCOMES.get(reader.status, Outcome.PROXY_FAILED)
            self._fail(f"the answer to CONNECT is {words[:80]!r}", outcome)
        elif reader.head_done:
            _, _, rest = self._received.partition(reader.head)
            self._connection.keep_early(rest)
            self.opened.set_result(None)

    def lose(self, error: Exception | None) -> None:
        """The proxy has hung up."""
        if not self.opened.done():
            self._fail(f"closed before an answer to CONNECT{f': {error}' if error else ''}")

    def _fail(self, detail: str, outcome: Outcome = Outcome.PROXY_FAILED) -> None:
        self.opened.set_exception(FetchError(outcome, detail))


def _authorization(server: ProxyServer) -> bytes:
    """The header line that the proxy wants, if it wants one."""
    if server.user is None:
        return b""
    return b"Proxy-Authorization: Basic %b\r\n" % b64encode(f"{server.user}:{server.password}".encode())
