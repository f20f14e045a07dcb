"""The inside of a worker: a plain loop that reads a message, does what it asks for, and answers."""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from math import inf

import msgspec

from weft.crash_points import crash_point
from weft.workers.frames import READY, frame, received
from weft.workers.malloc import keep_memory
from weft.workers.process import begin_worker

# Each message wakes the other side: while more work is at hand, answers go together.
ANSWER_BYTES = 128 * 1024

Tell = Callable[[msgspec.Struct], None]
Answer = Callable[[memoryview], msgspec.Struct | None]


def serve(
    begin: Callable[[memoryview, Tell], Answer], *, kept_bytes: int, answers_at_once: Callable[[], float] = lambda: inf
) -> None:
    """Serve one pool until it closes the socket or dies.

    `begin` gets the first message, and returns what answers the others: None where there is nothing to answer. Then
    it is asked how many answers may go together at most.
    """
    connection = begin_worker()
    keep_memory(kept_bytes)
    messages = received(connection)
    first = next(messages, None)
    if first is None:
        return
    answer = begin(first[0], lambda message: connection.sendall(frame(message)))
    # What is alive now stays alive: no need to look at it again and again.
    gc.collect()
    gc.freeze()
    with suppress(BrokenPipeError):  # nobody waits for it any more; the loop below finds the end of file
        connection.sendall(READY)
    most = answers_at_once()
    answers = bytearray()  # filled below, emptied into the socket; bound: most answers, ANSWER_BYTES and one answer
    held_back = 0
    for body, has_more in messages:
        if (reply := answer(body)) is not None:
            answers += frame(reply)
            held_back += 1
        if held_back and (not has_more or held_back >= most or len(answers) >= ANSWER_BYTES):
            connection.sendall(answers)
            answers = bytearray()
            held_back = 0
            crash_point("answered")
