"""A worker that does what a test asks of it: `python -m tests.workers.asked_worker SOCKET PARENT_PID`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable

import msgspec

from weft.workers import inside
from weft.workers.inside import Tell, serve

ANSWER, DIE, FAIL, EXIT, HANG = "answer", "die", "fail", "exit", "hang"
BE_PROMPT, TAKE_LONG = "be-prompt", "take-long"
UNSETTLE = "unsettle"  # what is answered from now on cannot be made true
SETTLE = "settle"  # it can again, once that was tried
ANSWERS_AT_ONCE = 3
LONG_S = 1_000_000.0


class Asked(msgspec.Struct, frozen=True):
    """To be done at once; the first one is done before the worker is ready."""

    act: str = ANSWER
    number: int = 0


class Answered(msgspec.Struct, frozen=True):
    """By whom."""

    number: int
    pid: int


LAST_WORD = Answered(-1, 0)
_unsettled: list[Asked] = []
_was_tried = threading.Event()

decode_answered = msgspec.msgpack.Decoder(Answered).decode


def begin(first: memoryview, tell: Tell) -> Callable[[memoryview], Answered]:
    decode = msgspec.msgpack.Decoder(Asked).decode
    do(decode(first))
    return lambda body: do(decode(body))


def do(asked: Asked) -> Answered:
    if asked.act in (DIE, HANG):
        os.kill(os.getpid(), signal.SIGKILL if asked.act == DIE else signal.SIGSTOP)
    elif asked.act == FAIL:
        sys.exit("the last word")
    elif asked.act == EXIT:
        os._exit(9)
    elif asked.act == BE_PROMPT:
        inside.HELD_BACK_S = 0.001
    elif asked.act == UNSETTLE:
        _unsettled.append(asked)
    elif asked.act == SETTLE:
        _was_tried.wait()
        _unsettled.clear()
    elif asked.act == TAKE_LONG:
        threading.Event().wait()
    return Answered(asked.number, os.getpid())


def settle() -> Answered | None:
    if not _unsettled:
        return None
    _was_tried.set()
    return LAST_WORD


if __name__ == "__main__":
    inside.HELD_BACK_S = LONG_S  # on a busy machine the time may be over at any moment
    serve(begin, kept_bytes=1_000_000, answers_at_once=lambda: ANSWERS_AT_ONCE, settle=settle)
