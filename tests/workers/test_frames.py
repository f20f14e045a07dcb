"""How messages are framed on the socket, and cut out of what arrives."""

from __future__ import annotations

import socket

import pytest

from weft.pipeline.messages import AddSeed, decode_message
from weft.workers.frames import ROOM_BYTES, FrameReader, frame

from .framing import feed


def seeds(*sizes: int) -> list[AddSeed]:
    return [AddSeed(f"{number}:" + "x" * size) for number, size in enumerate(sizes)]


def stream_of(messages: list[AddSeed]) -> bytes:
    return b"".join(map(frame, messages))


@pytest.mark.parametrize("piece_bytes", [1, 2, 3, 5, 7, 64, 10_000])
def test_messages_arrive_whole_and_in_order_however_they_are_cut(piece_bytes: int) -> None:
    messages = seeds(0, 1, 200, 30, 0, 70_000 if piece_bytes > 10 else 70)
    stream = stream_of(messages)
    reader = FrameReader()
    pieces = [stream[start : start + piece_bytes] for start in range(0, len(stream), piece_bytes)]
    assert [decode_message(body) for piece in pieces for body in feed(reader, piece)] == messages


@pytest.mark.parametrize("size", [ROOM_BYTES - 20, ROOM_BYTES, 5 * ROOM_BYTES + 1])
def test_a_message_may_be_larger_than_the_room_for_what_arrives_at_once(size: int) -> None:
    messages = seeds(10, size, 20, size, 30)
    reader = FrameReader()
    assert [decode_message(body) for body in feed(reader, stream_of(messages))] == messages


def test_after_a_large_message_its_room_is_given_back() -> None:
    reader = FrameReader()
    for message in seeds(10 * ROOM_BYTES, 1):
        assert [decode_message(body) for body in feed(reader, stream_of([message]))] == [message]
    assert len(reader.room()) == ROOM_BYTES


def test_what_a_socket_gives_is_read_in_place() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        messages = seeds(10, 3_000, 20_000)
        theirs.sendall(stream_of(messages))
        theirs.shutdown(socket.SHUT_WR)
        reader = FrameReader()
        received = []
        while count := ours.recv_into(reader.room()):
            received += [decode_message(body) for body in reader.received(count)]
    assert received == messages
