"""Ports at which nobody listens."""

from __future__ import annotations

import socket

_held: list[socket.socket] = []  # bound, and never listening, so that nobody else can; a few dozen in a whole run


def closed_port() -> int:
    """A port that refuses connections for as long as this process lives."""
    held = socket.socket()
    held.bind(("0.0.0.0", 0))
    _held.append(held)
    return int(held.getsockname()[1])


def free_port() -> int:
    """A port of 127.0.0.1 for a server that is yet to be started."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
