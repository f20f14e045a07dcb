"""The web over HTTP/1.1 on loopback addresses, all at one port; and over TLS, if need be, all at another."""

from __future__ import annotations

import asyncio
import socket
import tempfile
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from weft.simweb.authority import Authority
from weft.simweb.connection import Connection, Shared
from weft.simweb.hosts import IPV6_ADDRESS
from weft.simweb.model import SimWeb
from weft.simweb.requestlog import RequestLog
from weft.simweb.tls import TlsProtocol

_PORT_TRIES = 50
_BACKLOG = 4096


class SimServer:
    """Serves a web as long as the `async with` lasts. `server.web` is the web at the server's ports.

    `https` and `ipv6` say whether to listen there; by default, if the web has hosts there. Over https,
    `ca_file` is what a client has to trust; without a path for it, it is in a folder that goes with the
    server.
    """

    def __init__(
        self,
        web: SimWeb,
        port: int = 0,
        *,
        https: bool | None = None,
        https_port: int = 0,
        ca_file: Path | None = None,
        ipv6: bool | None = None,
        counting_only: bool = False,
    ) -> None:
        self.web = web
        self.port = port
        self.https_port: int | None = https_port  # None when it serves no https
        self.ca_file = ca_file
        self.log = RequestLog(counting_only=counting_only)
        self._shared = Shared(web, self.log)
        self._https = web.needs_tls if https is None else https
        self._ipv6 = bool(web.spec.ipv6_share) if ipv6 is None else ipv6
        self._servers: list[asyncio.Server] = []
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def connections_accepted(self) -> int:
        """How many connections there have been."""
        return self._shared.connections_accepted

    async def __aenter__(self) -> Self:
        authority = self._make_authority() if self._https else None
        sockets, tls_sockets = self._listen_everywhere()
        self.port = sockets[0].getsockname()[1]
        self.https_port = tls_sockets[0].getsockname()[1] if tls_sockets else None
        self.web = self._shared.web = self.web.at(self.port, self.https_port or self.web.https_port)
        loop = asyncio.get_running_loop()
        for sock in sockets:
            self._servers.append(await loop.create_server(self._accept, sock=sock, backlog=_BACKLOG))
        for sock in tls_sockets:
            assert authority
            accept = partial(self._accept_tls, authority)
            self._servers.append(await loop.create_server(accept, sock=sock, backlog=_BACKLOG))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for server in self._servers:
            server.close()
        left = list(self._shared.open)
        for connection in left:
            connection.abandon()
        await asyncio.gather(*(connection.gone.wait() for connection in left))
        for server in self._servers:
            await server.wait_closed()
        if self._folder:
            self._folder.cleanup()

    def _accept(self) -> Connection:
        self._shared.connections_accepted += 1
        return Connection(self._shared, self._shared.connections_accepted)

    def _accept_tls(self, authority: Authority) -> TlsProtocol:
        self._shared.connections_accepted += 1
        return TlsProtocol(self._shared, authority, self._shared.connections_accepted)

    def _make_authority(self) -> Authority:
        authority = Authority()
        if self.ca_file is None:
            self._folder = tempfile.TemporaryDirectory(prefix="simweb-")
            self.ca_file = Path(self._folder.name) / "ca.pem"
        authority.write_certificate(self.ca_file)
        return authority

    def _listen_everywhere(self) -> tuple[list[socket.socket], list[socket.socket]]:
        addresses = ["127.0.0.1", *self.web.addresses(), *([IPV6_ADDRESS] if self._ipv6 else [])]
        with ExitStack() as undo:
            sockets = _listen(addresses, self.port)
            for sock in sockets:
                undo.callback(sock.close)
            tls_sockets = _listen(addresses, self.https_port or 0) if self._https else []
            undo.pop_all()
        return sockets, tls_sockets


def _listen(addresses: list[str], port: int) -> list[socket.socket]:
    """A socket at each address, all at the same port; at any free one if `port` is 0."""
    tries = 1 if port else _PORT_TRIES
    for tries_left in reversed(range(tries)):
        sockets: list[socket.socket] = []
        try:
            for address in addresses:
                wanted = sockets[0].getsockname()[1] if sockets else port
                sockets.append(_bind(address, wanted))
        except OSError:  # free at the first address, but taken at another
            for sock in sockets:
                sock.close()
            if not tries_left:
                raise
        else:
            return sockets
    raise AssertionError("the last try returns or raises")


def _bind(address: str, port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(_BACKLOG)  # only now a port that another process wants too is known to be ours
    except OSError:
        sock.close()
        raise
    return sock
