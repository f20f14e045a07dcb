"""Messages on a socket between two processes: each is its length, and then itself in MessagePack."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

import msgspec

_LENGTH = struct.Struct(">I")
LENGTH_BYTES = _LENGTH.size
ROOM_BYTES = 256 * 1024  # for what arrives at once; a larger message gets more
READY = bytes(LENGTH_BYTES)  # the first message of a worker has nothing in it: it is set up

_encoder = msgspec.msgpack.Encoder()


def frame(message: msgspec.Struct) -> bytearray:
    """A message as it goes over the socket."""
    buffer = bytearray()
    add_frame(message, buffer)
    return buffer


def add_frame(message: msgspec.Struct, buffer: bytearray) -> None:
    """The same behind those that are in the buffer."""
    buffer += READY  # room for the length
    body = len(buffer)
    _encoder.encode_into(message, buffer, body)
    _LENGTH.pack_into(buffer, body - LENGTH_BYTES, len(buffer) - body)


def received(connection: socket.socket) -> Iterator[tuple[memoryview, bool]]:
    """The messages that come, each with whether another one is here already; to be decoded before the next."""
    frames = FrameReader()
    with suppress(ConnectionResetError):  # the other side was killed
        while count := connection.recv_into(frames.room()):
            bodies = frames.received(count)
            for left, body in enumerate(bodies, 1 - len(bodies)):
                yield body, left < 0


class FrameReader:
    """Cuts a byte stream into messages, right where it was received: a job is a whole page, so copies tell."""

    def __init__(self) -> None:
        self._view = memoryview(bytearray(ROOM_BYTES))
        self._end = 0  # of what has arrived and was not given
        self._given = 0  # up to here it was

    def room(self) -> memoryview:
        """Where the next bytes go. The messages that `received` gave are gone with this."""
        rest = self._view[self._given : self._end]
        if len(rest) == len(self._view):
            self._view = memoryview(bytearray(2 * len(rest)))
        elif not rest and len(self._view) > ROOM_BYTES:  # one large message does not mean another
            self._view = memoryview(bytearray(ROOM_BYTES))
        self._view[: len(rest)] = rest
        self._given, self._end = 0, len(rest)
        return self._view[self._end :]

    def received(self, count: int) -> list[memoryview]:
        """So many bytes have arrived there: the messages that are whole, to be decoded before more is received."""
        self._end += count
        view = self._view
        messages = []
        start = self._given
        length_at = _LENGTH.unpack_from
        while self._end >= (body := start + LENGTH_BYTES):
            (size,) = length_at(view, start)
            end = body + size
            if self._end < end:
                break
            messages.append(view[body:end])
            start = end
        self._given = start
        return messages
