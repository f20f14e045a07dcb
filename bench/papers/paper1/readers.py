"""Ways to read a page whose length nobody tells, from a connection that may stay open when it is whole.

    blocking    a blocking read with a time-out: no byte for so long means that the page is whole
    polling     a non-blocking read; if nothing is there, sleep a little and look again, at most for that time-out
    event       asleep until the socket's own event says that something has come, as WSAEventSelect (here: epoll)
    select      the same by select

Each may look for the end of the document after each read (`ends`): the paper's combined design is `event` with it.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable

import msgspec

from bench.papers.paper1.server import ADDRESS, END

READ_BYTES = 65_536


class Manners(msgspec.Struct, frozen=True):
    """What a reader does when nothing comes."""

    timeout_s: float
    poll_s: float
    ends: bool  # whether it looks for the end of the document


class Loaded(msgspec.Struct, frozen=True):
    """One page, read."""

    body: bytes
    seconds: float
    after_s: float  # from the last byte until the reader knew that it was the last
    empty_looks: int  # that found nothing
    missed_s: float  # by which looks came too late: bytes were there, and the reader slept


Reader = Callable[[socket.socket, Manners], tuple[bytes, float, int]]


def request(port: int, size: int, seconds: float, number: int, *, keep: bool) -> tuple[socket.socket, float]:
    """A connection on which a page has been asked for, and when."""
    connection = socket.create_connection((ADDRESS, port))
    began = time.perf_counter()
    manner = "keep" if keep else "close"
    connection.sendall(f"GET /{size}/{round(seconds * 1e6)}/{manner}/{number} HTTP/1.0\r\n\r\n".encode())
    return connection, began


def load(reader: Reader, connection: socket.socket, began: float, manners: Manners, sending_s: float) -> Loaded:
    """Read a page to what the reader takes for its end; `sending_s` is what the server took to send it."""
    try:
        body, last_at, empty_looks = reader(connection, manners)
        ended = time.perf_counter()
    finally:
        connection.close()
    return Loaded(body, ended - began, ended - last_at, empty_looks, max(0.0, last_at - began - sending_s))


def read_blocking(connection: socket.socket, manners: Manners) -> tuple[bytes, float, int]:
    """Until the time-out, or the end."""
    connection.settimeout(manners.timeout_s)
    found: list[bytes] = []
    last_at = time.perf_counter()
    while True:
        try:
            piece = connection.recv(READ_BYTES)
        except TimeoutError:
            return b"".join(found), last_at, 1
        if not piece:
            return b"".join(found), last_at, 0
        found.append(piece)
        last_at = time.perf_counter()
        if manners.ends and _is_end(piece):
            return b"".join(found), last_at, 0


def read_polling(connection: socket.socket, manners: Manners) -> tuple[bytes, float, int]:
    """Look, sleep, look again."""
    connection.setblocking(False)
    found: list[bytes] = []
    last_at, empty = time.perf_counter(), 0
    while True:
        try:
            piece = connection.recv(READ_BYTES)
        except BlockingIOError:
            if time.perf_counter() - last_at >= manners.timeout_s:
                return b"".join(found), last_at, empty
            empty += 1
            time.sleep(manners.poll_s)
            continue
        if not piece:
            return b"".join(found), last_at, empty
        found.append(piece)
        last_at = time.perf_counter()
        if manners.ends and _is_end(piece):
            return b"".join(found), last_at, empty


def read_event(connection: socket.socket, manners: Manners) -> tuple[bytes, float, int]:
    """Asleep until the socket has something."""
    with select.epoll() as events:
        events.register(connection, select.EPOLLIN)
        return _read_when(connection, manners, lambda: bool(events.poll(manners.timeout_s)))


def read_select(connection: socket.socket, manners: Manners) -> tuple[bytes, float, int]:
    """The same by select."""
    return _read_when(connection, manners, lambda: bool(select.select([connection], [], [], manners.timeout_s)[0]))


def _read_when(connection: socket.socket, manners: Manners, has_come: Callable[[], bool]) -> tuple[bytes, float, int]:
    connection.setblocking(False)
    found: list[bytes] = []
    last_at = time.perf_counter()
    while has_come():
        piece = connection.recv(READ_BYTES)
        if not piece:
            return b"".join(found), last_at, 0
        found.append(piece)
        last_at = time.perf_counter()
        if manners.ends and _is_end(piece):
            return b"".join(found), last_at, 0
    return b"".join(found), last_at, 1


def _is_end(piece: bytes) -> bool:
    return piece.endswith(END)
