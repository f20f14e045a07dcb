"""TLS on a raw connection, from the ClientHello on, so that a handshake can go wrong in every way.

    socket ──▶ TlsProtocol ──read_server_name──▶ a fault of the handshake: HANDSHAKE_FAULTS, the place to add one
                    │                            or a context that the authority makes for the name
                    └── decrypted ──▶ Connection, which has this as its transport

The event loop's own TLS cannot be used: it hides the handshake and the socket below it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from weft.simweb.behaviour import TlsFault
from weft.simweb.clienthello import NotTlsError, read_server_name
from weft.simweb.connection import Connection, client_of
from weft.simweb.requestlog import HANDSHAKE_FAILED

if TYPE_CHECKING:
    from weft.simweb.authority import Authority
    from weft.simweb.connection import Shared

_READ_BYTES = 65_536
_MAX_HELLO_BYTES = 65_536
_GARBAGE = b"HTTP/1.1 400 Bad Request\r\n\r\nThe plain HTTP request was sent to the wrong port\n"
# A record of the type alert, in TLS 1.2: fatal, handshake_failure.
_HANDSHAKE_FAILURE = b"\x15\x03\x03\x00\x02\x02\x28"
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER on, for 0 seconds


class TlsProtocol(asyncio.Protocol):
    """The server's end of TLS: the protocol of a socket, and through `TlsTransport` below a Connection."""

    def __init__(self, shared: Shared, authority: Authority, number: int) -> None:
        self.gone = asyncio.Event()
        self._shared = shared
        self._authority = authority
        self._number = number
        self._socket: asyncio.Transport | None = None
        self._address = ""
        self._client = ""
        self._hello: bytes = b""
        self._sni = ""
        self._fault: TlsFault | None = None
        self._started_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls: ssl.SSLObject | None = None  # once the name is known
        self._connection: Connection | None = None  # once the handshake is done

    # ── what the event loop calls ──

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._socket = cast("asyncio.Transport", transport)
        self._address = transport.get_extra_info("sockname")[0]
        self._client = client_of(transport)
        self._started_at = time.monotonic()
        self._shared.open.add(self)

    def data_received(self, data: bytes) -> None:
        if self._tls:
            self._incoming.write(data)
            self._advance()
        elif self._timer is None:
            self._read_hello(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._socket = None
        self.gone.set()
        self._shared.open.discard(self)
        if self._timer:
            self._timer.cancel()
        if self._connection:
            self._connection.connection_lost(exc)
        elif self._hello:  # who says nothing asks for nothing
            self._note_failure()

    def pause_writing(self) -> None:
        if self._connection:
            self._connection.pause_writing()

    def resume_writing(self) -> None:
        if self._connection:
            self._connection.resume_writing()

    # ── the handshake ──

    def _read_hello(self, data: bytes) -> None:
        self._hello += data
        try:
            name = read_server_name(self._hello)
        except NotTlsError:
            self.close_socket()
            return
        if name is not None:
            self._begin(name)
        elif len(self._hello) > _MAX_HELLO_BYTES:
            self.close_socket()

    def _begin(self, name: str) -> None:
        self._sni = name
        self._fault = self._shared.web.tls_faults.get(name)
        if self._fault in HANDSHAKE_FAULTS:
            HANDSHAKE_FAULTS[self._fault](self)
            return
        context = self._authority.context(name or self._address, self._fault)
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._incoming.write(self._hello)
        self._advance()

    def _advance(self) -> None:
        """Go on with what has arrived: with the handshake, then with requests."""
        assert self._tls
        if self._connection is None:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self.flush()
                return
            except ssl.SSLError:  # the client speaks another version, or does not like the certificate
                self.flush()
                self.close_socket()
                return
            self._connection = Connection(self._shared, self._number, tls=True, sni=self._sni)
            self._connection.connection_made(TlsTransport(self))
        self._read_requests()
        self.flush()

    def _read_requests(self) -> None:
        assert self._tls
        assert self._connection
        while self._socket:
            try:
                data = self._tls.read(_READ_BYTES)
            except ssl.SSLWantReadError:
                return
            except ssl.SSLError:  # the client says goodbye, or nonsense
                data = b""
            if not data:
                self.close_socket()
                return
            self._connection.data_received(data)

    def _note_failure(self) -> None:
        request = self._shared.log.start(
            self._sni, "", self._number, self._started_at, self._address, "https", self._sni, self._client
        )
        request.fault = self._fault or HANDSHAKE_FAILED
        self._shared.log.end(request, time.monotonic())

    # ── what handshakes and the transport are made of ──

    def write(self, data: bytes) -> None:
        """Hand bytes to the client, encrypted."""
        assert self._tls
        rest = memoryview(data)
        while rest:
            rest = rest[self._tls.write(rest) :]
        self.flush()

    def send_raw(self, data: bytes) -> None:
        """Hand bytes to the client as they are."""
        if self._socket:
            self._socket.write(data)

    def flush(self) -> None:
        """Send what TLS has to say."""
        if self._socket and self._outgoing.pending:
            self._socket.write(self._outgoing.read())

    def say_goodbye(self) -> None:
        """Tell the client that all is said (close_notify), unless the host is too rude for it."""
        if self._tls and self._fault is not TlsFault.NO_CLOSE_NOTIFY:
            with contextlib.suppress(ssl.SSLError):  # no goodbye from the client as yet, and none is waited for
                self._tls.unwrap()
            self.flush()

    def close_socket(self) -> None:
        """Close below TLS, after what was sent."""
        if self._socket:
            self._socket.close()

    def reset(self) -> None:
        """Break the connection off, so that the client sees a reset."""
        if self._socket:
            sock: socket.socket = self._socket.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
            self._socket.abort()

    def stall(self) -> None:
        """Say nothing until the client leaves, or for as long as the web stalls."""
        self._timer = asyncio.get_running_loop().call_later(self._shared.web.spec.stall_s, self.close_socket)

    def abandon(self) -> None:
        """The server stops: leave at once."""
        if self._socket:
            self._socket.abort()

    @property
    def socket(self) -> asyncio.Transport | None:
        """The transport below; None when the connection is gone."""
        return self._socket


class TlsTransport(asyncio.Transport):
    """What a Connection needs of a transport, over TLS."""

    def __init__(self, protocol: TlsProtocol) -> None:
        super().__init__()
        self._protocol = protocol

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        if not self.is_closing():
            self._protocol.write(bytes(data))

    def close(self) -> None:
        if not self.is_closing():
            self._protocol.say_goodbye()
            self._protocol.close_socket()

    def abort(self) -> None:
        self._protocol.abandon()

    def is_closing(self) -> bool:
        return self._protocol.socket is None or self._protocol.socket.is_closing()

    def is_reading(self) -> bool:
        return self._protocol.socket is not None and self._protocol.socket.is_reading()

    def pause_reading(self) -> None:
        if self._protocol.socket:
            self._protocol.socket.pause_reading()

    def resume_reading(self) -> None:
        if self._protocol.socket:
            self._protocol.socket.resume_reading()

    def get_extra_info(self, name: str, default: object = None) -> Any:
        return self._protocol.socket.get_extra_info(name, default) if self._protocol.socket else default


def _close(protocol: TlsProtocol) -> None:
    protocol.close_socket()


def _send_garbage(protocol: TlsProtocol) -> None:
    protocol.send_raw(_GARBAGE)
    protocol.close_socket()


def _send_alert(protocol: TlsProtocol) -> None:
    protocol.send_raw(_HANDSHAKE_FAILURE)
    protocol.close_socket()


# The faults that come instead of a handshake; the others are wrong contexts, which the authority makes.
HANDSHAKE_FAULTS: dict[TlsFault | None, Callable[[TlsProtocol], None]] = {
    TlsFault.STALL: TlsProtocol.stall,
    TlsFault.CLOSE: _close,
    TlsFault.RESET: TlsProtocol.reset,
    TlsFault.GARBAGE: _send_garbage,
    TlsFault.ALERT: _send_alert,
}
