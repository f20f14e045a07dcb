"""Opens connections: the way there, then TLS where the scheme wants it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from weft.errors import BadUrl
from weft.fetch.config import FetchConfig
from weft.fetch.connection import Connection
from weft.fetch.dial import MakeConnection
from weft.fetch.local_address import LocalAddress
from weft.fetch.proxy import HttpProxy
from weft.fetch.route import Route, Straight
from weft.fetch.socks import SocksProxy
from weft.fetch.tls import Tls
from weft.url import Target
from weft.url.schemes import SCHEMES


class Connector:
    """Makes connections that are ready for a request."""

    def __init__(self, config: FetchConfig) -> None:
        self.route: Route = _route_by(config.proxy, LocalAddress(config.bind) if config.bind else None)
        self._tls = Tls(config)
        self._timeout_s = config.connect_timeout_s

    async def connect(self, target: Target, addresses: Sequence[str], make_connection: MakeConnection) -> Connection:
        """A connection to the target's server. FetchError when there is none to be had in time."""
        if (scheme := SCHEMES.get(target.scheme)) is None:
            raise BadUrl(f"weft cannot fetch {target.scheme} URLs.")
        deadline_s = asyncio.get_running_loop().time() + self._timeout_s
        connection = await self.route.open(target, addresses, make_connection, deadline_s)
        if scheme.uses_tls:
            await self._tls.secure(connection, target, deadline_s)
        return connection


def _route_by(proxy: str, local: LocalAddress | None) -> Route:
    if not proxy:
        return Straight(local)
    return SocksProxy(proxy, local) if proxy.lower().startswith("socks") else HttpProxy(proxy, local)
