"""TLS between a connection and its transport, without a socket: every cut of the bytes, every moment of an end."""

from __future__ import annotations

import asyncio
import errno
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from weft.errors import FetchError
from weft.fetch import FetchConfig
from weft.fetch.connection import Connection
from weft.fetch.tls import Tls
from weft.fetch.tls_stream import TlsStream, shake_hands
from weft.types import Outcome
from weft.url import Target

from . import certificates

BODY = bytes(range(256)) * 200  # more than three records


class Wire(asyncio.Transport):
    """Stands for TCP: what is written goes to a server in memory, and a test says when its answers come."""

    def __init__(self, context: ssl.SSLContext) -> None:
        super().__init__()
        self.to_server = ssl.MemoryBIO()
        self.from_server = ssl.MemoryBIO()
        self.server = context.wrap_bio(self.to_server, self.from_server, server_side=True)
        self.protocol: asyncio.BaseProtocol | None = None
        self.aborted = False
        self.closing = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.to_server.write(data)

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closing = True

    def answer(self) -> bytes:
        """What the server has sent since."""
        with suppress(ssl.SSLWantReadError):
            self.server.do_handshake()
        return self.from_server.read()

    @property
    def stream(self) -> TlsStream:
        assert isinstance(self.protocol, TlsStream)
        return self.protocol


class Ear:
    """Keeps what the connection was told."""

    def __init__(self) -> None:
        self.data = b""
        self.losses: list[Exception | None] = []

    def receive(self, data: bytes) -> None:
        self.data += data

    def lose(self, error: Exception | None) -> None:
        self.losses.append(error)


class Desk:
    """A connection under which a handshake is under way."""

    def __init__(self) -> None:
        self.wire = Wire(certificates.server_context())
        self.connection = Connection("127.0.0.1", lambda _: None)
        self.connection.connection_made(self.wire)
        context = ssl.create_default_context(cafile=certificates.ca_file())
        self.handshake = asyncio.create_task(shake_hands(self.connection, context, certificates.HOST))
        self.ear = Ear()

    async def shake(self, cut_bytes: int = 10**6) -> None:
        """Carry bytes until both sides are satisfied."""
        while not self.handshake.done():
            await asyncio.sleep(0)
            if self.wire.protocol is not None:
                self.deliver(self.wire.answer(), cut_bytes)

    def deliver(self, data: bytes, cut_bytes: int = 10**6) -> None:
        for start in range(0, len(data), cut_bytes):
            self.wire.stream.data_received(data[start : start + cut_bytes])

    def encrypted(self, data: bytes) -> bytes:
        sent = 0
        while sent < len(data):
            sent += self.wire.server.write(data[sent:])
        return self.wire.answer()


def on_a_desk(scenario: Callable[[Desk], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(60):
            await scenario(Desk())

    asyncio.run(run())


@pytest.mark.parametrize("cut_bytes", [1, 5, 1000, 16_384, 10**6])
def test_bytes_are_the_same_however_the_wire_cuts_them(cut_bytes: int) -> None:
    async def scenario(desk: Desk) -> None:
        await desk.shake(cut_bytes)
        await desk.handshake
        desk.connection.start(b"request", desk.ear)
        assert desk.wire.server.read(100) == b"request"
        desk.deliver(desk.encrypted(BODY), cut_bytes)
        assert desk.ear.data == BODY

    on_a_desk(scenario)


def test_more_bytes_at_once_than_are_fed_at_once_are_all_read() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.shake()
        desk.connection.start(b"request", desk.ear)
        desk.deliver(desk.encrypted(BODY * 20))
        assert desk.ear.data == BODY * 20

    on_a_desk(scenario)


def test_connection_lost_right_after_the_handshake_is_not_overlooked() -> None:
    async def scenario(desk: Desk) -> None:
        await asyncio.sleep(0)
        desk.deliver(desk.wire.answer())  # one flight, and for us the handshake is over
        assert not desk.handshake.done()
        desk.wire.stream.connection_lost(None)  # before the task that waits for the handshake goes on
        with pytest.raises(ConnectionResetError):
            await desk.handshake

    on_a_desk(scenario)


@pytest.mark.parametrize("error", [None, ConnectionResetError("reset")])
def test_end_of_the_wire_is_told_once(error: Exception | None) -> None:
    async def scenario(desk: Desk) -> None:
        await desk.shake()
        desk.connection.start(b"request", desk.ear)
        desk.wire.stream.connection_lost(error)
        assert desk.ear.losses == [error]
        assert desk.connection.closed

    on_a_desk(scenario)


def test_close_notify_closes_the_wire() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.shake()
        desk.connection.start(b"request", desk.ear)
        desk.wire.server.read(100)
        with pytest.raises(ssl.SSLWantReadError):
            desk.wire.server.unwrap()
        desk.deliver(desk.wire.from_server.read())
        assert desk.connection.closed
        assert desk.wire.closing

    on_a_desk(scenario)


def test_forged_bytes_end_the_connection_with_openssl_s_error() -> None:
    async def scenario(desk: Desk) -> None:
        await desk.shake()
        desk.connection.start(b"request", desk.ear)
        forged = bytearray(desk.encrypted(b"hello"))
        forged[-1] ^= 1
        desk.deliver(bytes(forged))
        assert desk.wire.aborted
        assert desk.ear.data == b""
        desk.wire.stream.connection_lost(None)
        assert [type(error) for error in desk.ear.losses] == [ssl.SSLError]

    on_a_desk(scenario)


@pytest.mark.parametrize("code", [errno.EPROTO, errno.ENOPROTOOPT, 9999])
def test_handshake_that_ends_by_an_error_nobody_has_listed_is_an_outcome(code: int) -> None:
    async def scenario() -> None:
        wire = Wire(certificates.server_context())
        connection = Connection("127.0.0.1", lambda _: None)
        connection.connection_made(wire)
        tls = Tls(FetchConfig(ca_file=certificates.ca_file()))
        target = Target("https", certificates.HOST, 443, "/")
        deadline_s = asyncio.get_running_loop().time() + 60
        securing = asyncio.create_task(tls.secure(connection, target, deadline_s))
        await asyncio.sleep(0)  # the handshake begins
        wire.stream.connection_lost(OSError(code, "by ICMP"))
        with pytest.raises(FetchError) as caught:
            await securing
        assert caught.value.outcome is Outcome.UNREACHABLE

    asyncio.run(scenario())
