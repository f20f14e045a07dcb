"""The machine that a proxy runs on: what the user says of it, and a connection to it."""

from __future__ import annotations

import asyncio
import socket
from urllib.parse import unquote, urlsplit

from weft.errors import BadInput, FetchError
from weft.fetch.connection import Connection
from weft.fetch.dial import MakeConnection, dial
from weft.fetch.host_port import parse_host_port
from weft.fetch.local_address import LocalAddress
from weft.types import Outcome


class ProxyServer:
    """A proxy as `scheme://[user:password@]host[:port]` names it. BadInput when the text is nothing of the kind."""

    def __init__(
        self, url: str, schemes: tuple[str, ...], default_port: int, local: LocalAddress | None = None
    ) -> None:
        # The message repeats nothing of the URL: there may be a password in it.
        complaint = BadInput("A proxy is given as http://, socks5:// or socks5h://, then [user:password@]host[:port].")
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise complaint from None
        if parts.scheme not in schemes or not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
            raise complaint
        self.scheme = parts.scheme
        self.host = parse_host_port(parts.hostname).host
        self.port = default_port if port is None else port
        self.user = None if parts.username is None else unquote(parts.username)
        self.password = unquote(parts.password or "")
        self._local = local
        # Filled by the first connection, emptied when one fails: a proxy may move.
        self._addresses: tuple[str, ...] = ()

    async def dial(self, make_connection: MakeConnection, deadline_s: float) -> Connection:
        """A connection to the proxy. FetchError, always PROXY_FAILED, when there is none to be had."""
        try:
            if not self._addresses:
                self._addresses = await _look_up(self.host, self.port, deadline_s)
            return await dial(self._addresses, self.port, make_connection, deadline_s, local=self._local)
        except FetchError as error:
            self._addresses = ()
            raise FetchError(Outcome.PROXY_FAILED, f"{error.outcome}: {error.detail}") from error


async def _look_up(host: str, port: int, deadline_s: float) -> tuple[str, ...]:
    """The addresses of the proxy, by the system's means: it is a machine of the user's and not of the web."""
    try:
        async with asyncio.timeout_at(deadline_s):
            rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except TimeoutError as error:
        raise FetchError(Outcome.DNS_FAILED, f"{host} takes too long") from error
    except OSError as error:
        raise FetchError(Outcome.DNS_FAILED, f"{host}: {error.strerror}") from error
    return tuple(dict.fromkeys(str(row[4][0]) for row in rows))
