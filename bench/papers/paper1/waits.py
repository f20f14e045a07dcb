"""What one call of select and of epoll costs, by the number of sockets that are watched: one of them has something."""

from __future__ import annotations

import resource
import select
import socket
import time
from collections.abc import Callable

CALLS = 300
WATCHED = (1, 30, 450)  # pairs of sockets; select takes descriptors below 1,024 only


def cost_us(watched: int) -> dict[str, float]:
    """CPU microseconds of a call."""
    _allow(2 * watched + 100)
    pairs = [socket.socketpair() for _ in range(watched)]
    try:
        pairs[-1][1].send(b"!")
        own = [one for one, _ in pairs]
        with select.epoll() as events:
            for one in own:
                events.register(one, select.EPOLLIN)
            return {
                "select": _timed(lambda: select.select(own, [], [], 1)),
                "epoll": _timed(lambda: events.poll(1)),
            }
    finally:
        for one, other in pairs:
            one.close()
            other.close()


def _timed(call: Callable[[], object]) -> float:
    began = time.thread_time()
    for _ in range(CALLS):
        call()
    return 1e6 * (time.thread_time() - began) / CALLS


def _allow(files: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
