"""Ports at which nobody listens."""

from __future__ import annotations

import socket


def closed_port() -> int:
    """A port that refuses connections for as long as this process lives."""
    held = socket.socket()
    held.bind(("0.0.0.0", 0))
    port = int(held.getsockname()[1])
    held.detach()  # bound until the process ends, and never listening, so that nobody else can; a few dozen in a run
    return port


def free_port() -> int:
    """A port of 127.0.0.1 for a server that is yet to be started."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])
