"""The way to a server: straight, or by a proxy. TLS, where there is any, is between us and the server on every way.

A way answers six questions. A further kind of proxy is one more class beside `proxy.py` and `socks.py`, and a line in
`Connector`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from weft.fetch.connection import Connection
from weft.fetch.dial import MakeConnection, dial
from weft.fetch.local_address import LocalAddress
from weft.fetch.pool import Key
from weft.types import Outcome
from weft.url import Target


class Route(Protocol):
    """A way from here to any target."""

    # Whether whoever is at the other end looks names up, so that we must not: it may know names that we do not.
    by_name: bool

    async def open(
        self, target: Target, addresses: Sequence[str], make_connection: MakeConnection, deadline_s: float
    ) -> Connection:
        """A connection on which the target's server is spoken to next. FetchError when there is none to be had."""

    def key(self, target: Target) -> Key:
        """Targets with the same key may use the same idle connection."""
        return target[:3]

    def may_reuse(self, connection: Connection, addresses: Sequence[str]) -> bool:
        """Whether an idle connection with the right key still goes where it may go."""

    def wire(self, request: bytes, target: Target) -> bytes:
        """A request as it is written on this way: as it is, where the server reads it."""
        return request

    def fault(self, target: Target, status: int) -> Outcome | None:
        """What a response's status says about the way instead of the target; None: every response is the server's."""
        return None


class Straight(Route):
    """No proxy: only the given addresses are ever connected to."""

    by_name = False

    def __init__(self, local: LocalAddress | None = None) -> None:
        self._local = local

    async def open(
        self, target: Target, addresses: Sequence[str], make_connection: MakeConnection, deadline_s: float
    ) -> Connection:
        return await dial(addresses, target.port, make_connection, deadline_s, local=self._local)

    def may_reuse(self, connection: Connection, addresses: Sequence[str]) -> bool:
        return connection.address in addresses
