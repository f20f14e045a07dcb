"""A port at which nobody listens."""

from __future__ import annotations

import socket


def closed_port() -> int:
    """A port of 127.0.0.1 that refuses connections as long as this process lives.

    It stays taken, or somebody else might listen there before the test is over.
    """
    sock = socket.socket()
    sock.bind(("127.0.0.1", 0))
    port = int(sock.getsockname()[1])
    sock.detach()
    return port
