"""The relay of these tests does what it says: passes on, cuts, pauses and restores."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import pytest

from tests.cluster.relay import Relay
from weft.cluster.servers import LOOPBACK


@pytest.fixture
def relay() -> Iterator[Relay]:
    """Leads to a server that sends back what it gets."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        with Relay(listener.getsockname()[1]) as relay:
            yield relay
        listener.shutdown(socket.SHUT_RDWR)


def serve(listener: socket.socket) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=echo, args=(connection,), daemon=True).start()


def echo(connection: socket.socket) -> None:
    with connection:
        try:
            while data := connection.recv(1024):
                connection.sendall(data)
        except OSError:
            pass


def connected(relay: Relay) -> socket.socket:
    return socket.create_connection((LOOPBACK, relay.port), timeout=60)


def test_a_relay_passes_bytes_on_and_back(relay: Relay) -> None:
    with connected(relay) as connection:
        connection.sendall(b"there")
        assert connection.recv(5) == b"there"


def test_a_cut_relay_resets_connections_and_refuses_new_ones_until_it_is_restored(relay: Relay) -> None:
    with connected(relay) as connection:
        connection.sendall(b"there")
        assert connection.recv(5) == b"there"
        relay.cut()
        with pytest.raises(ConnectionResetError):
            connection.recv(5)
    with pytest.raises(ConnectionRefusedError):
        connected(relay)
    relay.restore()
    test_a_relay_passes_bytes_on_and_back(relay)


def test_a_paused_relay_holds_bytes_back_until_it_is_restored(relay: Relay) -> None:
    with connected(relay) as connection:
        relay.pause()
        connection.sendall(b"there")
        with connected(relay) as other:  # a new connection is accepted, and as silent
            connection.settimeout(0.2)
            with pytest.raises(TimeoutError):
                connection.recv(5)
            relay.restore()
            connection.settimeout(30)
            assert connection.recv(5) == b"there"
            other.sendall(b"too")
            assert other.recv(3) == b"too"
