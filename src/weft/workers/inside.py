"""The inside of a worker: a plain loop that reads a message, does what it asks for, and answers."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic

import msgspec

from weft.crash_points import crash_point
from weft.workers.frames import READY, frame, received
from weft.workers.malloc import keep_memory
from weft.workers.process import begin_worker
from weft.workers.tasks_done import TasksDone

# Each message wakes the other side: while more work is at hand, answers go together.
ANSWER_BYTES = 128 * 1024
# But not for long, when tasks take long: what they lead to waits for them.
HELD_BACK_S = 0.1

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
    done = TasksDone(int(sys.argv[3])) if len(sys.argv) > 3 else None
    held_back = HeldBack(answers_at_once())
    for body, has_more in messages:
        if (reply := answer(body)) is not None:
            if done is not None:
                done.add()
            held_back.add(reply, monotonic())
        if held_back.count and (not has_more or held_back.is_enough):
            try:
                connection.sendall(held_back.take())
            except BrokenPipeError:  # nobody waits for it any more
                return
            crash_point("answered")


class HeldBack:
    """Answers that wait for others. Bound: `most` of them, ANSWER_BYTES and one answer, HELD_BACK_S and one task."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._answers = bytearray()
        self._until = inf
        self.count = 0
        self.is_enough = False

    def add(self, reply: msgspec.Struct, now: float) -> None:
        """Another one."""
        self._answers += frame(reply)
        self.count += 1
        self._until = min(self._until, now + HELD_BACK_S)
        self.is_enough = self.count >= self._most or len(self._answers) >= ANSWER_BYTES or now >= self._until

    def take(self) -> bytearray:
        """All of them, to be sent."""
        answers, self._answers = self._answers, bytearray()
        self.count, self.is_enough, self._until = 0, False, inf
        return answers
