"""Bytes that arrive in pieces of any size."""

from __future__ import annotations

from collections.abc import Iterator

from weft.workers.frames import FrameReader


def feed(reader: FrameReader, data: bytes) -> Iterator[memoryview]:
    """The messages that are whole with these bytes, each to be decoded before the next one is asked for."""
    rest = memoryview(data)
    while rest:
        room = reader.room()
        part = rest[: len(room)]
        room[: len(part)] = part
        rest = rest[len(part) :]
        yield from reader.received(len(part))
