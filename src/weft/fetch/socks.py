"""A SOCKS5 proxy (RFC 1928, RFC 1929): it connects us to a server, and is not there any more from then on.

    socks5://    the proxy is told an IP address: one of those that were looked up and vetted here
    socks5h://   the proxy is told the name, and looks it up itself

    we       05 methods ────▶            05 01 00 address port ────▶
    proxy            ◀──── 05 method             ◀──── 05 reply 00 address port     then the server itself
                     (a password, if it wants one)

The handshake is three short messages, so there is no library here: it runs on the same connections as everything else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

from weft.errors import BadInput, FetchError
from weft.fetch.connection import Connection
from weft.fetch.dial import MakeConnection
from weft.fetch.local_address import LocalAddress
from weft.fetch.proxy_server import ProxyServer
from weft.fetch.route import Route
from weft.types import Outcome
from weft.url import Target

_DEFAULT_PORT: Final = 1080
_MAX_ADDRESSES: Final = 4  # of one server, tried one after the other

_VERSION: Final = 5
_NO_AUTHENTICATION: Final = 0
_PASSWORD: Final = 2
_PASSWORD_VERSION: Final = 1
_CONNECT: Final = b"\x05\x01\x00"
_IPV4, _NAME, _IPV6 = 1, 3, 4
_ADDRESS_BYTES: Final = {_IPV4: 4, _IPV6: 16}

# What the proxy says of the server. Everything else it says is about itself.
_OUTCOMES: Final = {
    3: Outcome.UNREACHABLE,  # the network
    4: Outcome.UNREACHABLE,  # the host, or its name is not known there
    5: Outcome.CONNECT_REFUSED,
    6: Outcome.CONNECT_TIMEOUT,
}
_WORDS: Final = {
    1: "general failure",
    2: "not allowed by its rules",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "time to live expired",
    7: "command not supported",
    8: "address type not supported",
}


class SocksProxy(Route):
    """The way by one SOCKS5 proxy."""

    def __init__(self, url: str, local: LocalAddress | None = None) -> None:
        self._server = ProxyServer(url, ("socks5", "socks5h"), _DEFAULT_PORT, local)
        self.by_name = self._server.scheme == "socks5h"
        self._credentials = _credentials(self._server)

    async def open(
        self, target: Target, addresses: Sequence[str], make_connection: MakeConnection, deadline_s: float
    ) -> Connection:
        """A connection through the proxy; to the first of the addresses that answers, where we look names up."""
        if self.by_name:
            return await self._through(_named(target.host), target.port, make_connection, deadline_s)
        if not addresses:
            raise ValueError("no address to connect to")
        tried = addresses[:_MAX_ADDRESSES]
        for place, address in enumerate(tried):
            # A silent address must leave time for the others.
            now_s = asyncio.get_running_loop().time()
            until_s = now_s + (deadline_s - now_s) / (len(tried) - place)
            try:
                connection = await self._through(_numbered(address), target.port, make_connection, until_s)
            except FetchError as error:
                if error.outcome is Outcome.PROXY_FAILED or address is tried[-1]:
                    raise
            else:
                connection.address = address  # that is who answers, whoever carries it
                return connection
        raise AssertionError

    def may_reuse(self, connection: Connection, addresses: Sequence[str]) -> bool:
        """As on the straight way, where we look names up."""
        return self.by_name or connection.address in addresses

    async def _through(self, place: bytes, port: int, make_connection: MakeConnection, deadline_s: float) -> Connection:
        connection = await self._server.dial(make_connection, deadline_s)
        answers = _Answers(connection)
        try:
            async with asyncio.timeout_at(deadline_s):
                await self._introduce(answers)
                answers.send(_CONNECT + place + port.to_bytes(2, "big"))
                await _read_reply(answers)
        except TimeoutError as error:
            connection.abort()
            # A proxy that has let us in waits for the server, as we do.
            outcome = Outcome.CONNECT_TIMEOUT if answers.let_in else Outcome.PROXY_FAILED
            raise FetchError(outcome, "no answer of the SOCKS proxy in time") from error
        except (FetchError, asyncio.CancelledError):
            connection.abort()
            raise
        answers.hand_over()
        return connection

    async def _introduce(self, answers: _Answers) -> None:
        """Agree on how we say who we are, and say it."""
        methods = [_NO_AUTHENTICATION, _PASSWORD] if self._credentials else [_NO_AUTHENTICATION]
        answers.send(bytes((_VERSION, len(methods), *methods)))
        version, method = await answers.read(2)
        if version != _VERSION:
            raise _failed("it does not speak SOCKS5")
        if method == _PASSWORD and self._credentials:
            answers.send(self._credentials)
            _, status = await answers.read(2)
            if status:
                raise _failed("it does not accept the password")
        elif method != _NO_AUTHENTICATION:
            raise _failed("it wants a password" if method in (_PASSWORD, 0xFF) else f"it wants method {method}")
        answers.let_in = True


class _Answers:
    """What the proxy says, read by the number of bytes."""

    __slots__ = ("_connection", "_lost", "_received", "_waiter", "_wanted", "let_in")

    def __init__(self, connection: Connection) -> None:
        self.let_in = False
        self._connection = connection
        self._received = bytearray()
        self._wanted = 0
        self._waiter: asyncio.Future[None] | None = None
        self._lost = False

    def send(self, data: bytes) -> None:
        """Say something to the proxy."""
        self._connection.start(data, self)

    async def read(self, size_bytes: int) -> bytes:
        """The next N bytes. FetchError when the proxy hangs up before."""
        if len(self._received) < size_bytes and not self._lost:
            self._wanted = size_bytes
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        if len(self._received) < size_bytes:
            raise _failed("it hung up")
        data = bytes(self._received[:size_bytes])
        del self._received[:size_bytes]
        return data

    def hand_over(self) -> None:
        """The proxy has said all: what has come since is the server's."""
        self._connection.detach()
        self._connection.keep_early(bytes(self._received))

    def receive(self, data: bytes) -> None:
        """Take what has come."""
        self._received += data
        if len(self._received) >= self._wanted:
            self._wake()

    def lose(self, error: Exception | None) -> None:
        """The proxy has hung up."""
        self._lost = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


async def _read_reply(answers: _Answers) -> None:
    version, reply, _, kind = await answers.read(4)
    if version != _VERSION:
        raise _failed("its reply is no SOCKS5")
    if reply:
        words = _WORDS.get(reply, f"reply {reply}")
        raise FetchError(_OUTCOMES.get(reply, Outcome.PROXY_FAILED), f"the SOCKS proxy says: {words}")
    if kind == _NAME:
        (size_bytes,) = await answers.read(1)
    elif kind in _ADDRESS_BYTES:
        size_bytes = _ADDRESS_BYTES[kind]
    else:
        raise _failed("its reply is no SOCKS5")
    await answers.read(size_bytes + 2)  # the address and port that it connects from, which nobody needs


def _failed(detail: str) -> FetchError:
    return FetchError(Outcome.PROXY_FAILED, f"the SOCKS proxy: {detail}")


def _named(host: str) -> bytes:
    """A host as it is named to the proxy; a number stays one."""
    try:
        return _numbered(host)
    except ValueError:
        name = host.encode()
    if len(name) > 255:
        raise FetchError(Outcome.DNS_NOT_FOUND, f"{host[:80]}… is too long for a name")
    return bytes((_NAME, len(name))) + name


def _numbered(address: str) -> bytes:
    number = ip_address(address)
    return bytes((_IPV4 if number.version == 4 else _IPV6,)) + number.packed


def _credentials(server: ProxyServer) -> bytes:
    if server.user is None:
        return b""
    user, password = server.user.encode(), server.password.encode()
    if not 1 <= len(user) <= 255 or not 1 <= len(password) <= 255:
        raise BadInput("The user name and the password for a SOCKS proxy have 1 to 255 bytes each.")
    return bytes((_PASSWORD_VERSION, len(user))) + user + bytes((len(password),)) + password
