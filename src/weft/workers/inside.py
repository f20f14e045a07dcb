"""The inside of a worker: a plain loop that reads a message, does what it asks for, and answers."""

from __future__ import annotations

import gc
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from threading import Event, RLock, Thread
from time import monotonic

import msgspec

from weft.crash_points import crash_point
from weft.workers.frames import READY, add_frame, frame, received
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
    begin: Callable[[memoryview, Tell], Answer],
    *,
    kept_bytes: int,
    answers_at_once: Callable[[], float] = lambda: inf,
    settle: Callable[[], msgspec.Struct | None] = lambda: None,
) -> None:
    """Serve one pool until it closes the socket or dies.

    `begin` gets the first message, and returns what answers the others: None where there is nothing to answer. Then
    it is asked how many answers may go together at most. Before any are sent, perhaps by another thread, `settle`
    makes true what they tell; where it cannot, it returns what is said instead, as the last word.
    """
    connection = begin_worker()
    keep_memory(kept_bytes)
    messages = received(connection)
    first = next(messages, None)
    if first is None:
        return
    sender = Sender(connection, settle)
    answer = begin(first[0], sender.tell)
    # What is alive now stays alive: no need to look at it again and again.
    gc.collect()
    gc.freeze()
    with suppress(BrokenPipeError):  # nobody waits for it any more; the loop below finds the end of file
        connection.sendall(READY)
    done = TasksDone(int(sys.argv[3])) if len(sys.argv) > 3 else None
    sender.held_back = held_back = HeldBack(answers_at_once())
    for body, has_more in messages:
        if (reply := answer(body)) is not None:
            if done is not None:
                done.add()
            sender.hold(reply)
        if not held_back.count:
            continue
        if has_more and not held_back.is_enough:
            sender.watch()
            continue
        try:
            sender.send_held()
        except BrokenPipeError:  # nobody waits for it any more
            return
        if sender.is_over:
            return
        crash_point("answered")


class Sender:
    """The socket, for two threads: answers that are held back for too long are sent while the next task goes on."""

    def __init__(self, connection: socket.socket, settle: Callable[[], msgspec.Struct | None]) -> None:
        self._connection = connection
        self._settle = settle
        self.is_over = False  # the last word is said
        self._lock = RLock()  # whoever has it sends; by turns in one thread, as a tick may come in between
        self.held_back = HeldBack(inf)
        self._watcher: Thread | None = None  # made when first needed: where a user's functions may fork, it never is
        self._is_watching = False
        self._wakes = Event()

    def tell(self, message: msgspec.Struct) -> None:
        """Send something that is no answer."""
        with self._lock:
            self._connection.sendall(frame(message))

    def hold(self, reply: msgspec.Struct) -> None:
        """An answer, to be sent soon."""
        with self._lock:
            self.held_back.add(reply, monotonic())

    def send_held(self) -> None:
        """Send the answers that are held back."""
        with self._lock:
            if self.held_back.count and not self.is_over:
                failure = self._settle()
                self.is_over = failure is not None
                self._connection.sendall(self.held_back.take() if failure is None else frame(failure))

    def watch(self) -> None:
        """Answers stay held back while the next task is done: see that it is not for long."""
        if not self._is_watching:  # nearly always it is: a wake-up for each answer would cost what holding back saves
            self._is_watching = True
            self._wakes.set()
            if self._watcher is None:
                self._watcher = Thread(target=self._watch, daemon=True)
                self._watcher.start()

    def _watch(self) -> None:
        while self._wakes.wait():
            time.sleep(HELD_BACK_S)
            with self._lock:
                if self.held_back.count:
                    if monotonic() >= self.held_back.until:
                        with suppress(OSError):  # the loop finds the end of file
                            self.send_held()
                else:
                    self._wakes.clear()
                    self._is_watching = False


class HeldBack:
    """Answers that wait for others. Bound: `most` of them, ANSWER_BYTES and one answer, 2 × HELD_BACK_S."""

    def __init__(self, most: float) -> None:
        self._most = most
        self._answers = bytearray()
        self.until = inf
        self.count = 0
        self.is_enough = False

    def add(self, reply: msgspec.Struct, now: float) -> None:
        """Another one."""
        add_frame(reply, self._answers)
        if not self.count:
            self.until = now + HELD_BACK_S
        self.count += 1
        self.is_enough = self.count >= self._most or len(self._answers) >= ANSWER_BYTES or now >= self.until

    def take(self) -> bytearray:
        """All of them, to be sent."""
        answers, self._answers = self._answers, bytearray()
        self.count, self.is_enough, self.until = 0, False, inf
        return answers
