"""A cleaning worker: `python -m weft.cleaning.worker SOCKET ENGINE_PID`.

A plain loop: read a page, clean it, answer. It knows no database and no file, and ends with its engine.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress

from weft.clean import Cleaner, NotCleanable
from weft.cleaning.messages import Answer, PageJob, decode_page, decode_setup, frame
from weft.crash_points import crash_point
from weft.pipeline.messages import FrameReader

PR_SET_PDEATHSIG = 1
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
KEPT_BYTES = 8 * 1024 * 1024  # of free memory
MAPPED_BYTES = 4 * 1024 * 1024  # and more at once comes from the system, and goes back
HEAVY_BYTES = 512 * 1024  # after such a page memory goes back to the system
NICENESS = 5
# Each message wakes the engine: while more pages are at hand, answers go together.
ANSWER_BYTES = 128 * 1024
OUT_OF_MEMORY = "it needs more memory than it may have"


def main() -> None:
    """Serve one engine until it closes the socket or dies."""
    connection = socket.socket(fileno=int(sys.argv[1]))
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != int(sys.argv[2]):
        sys.exit("the engine died before its worker began")
    os.nice(NICENESS)
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group; the engine sees to them
        signal.signal(number, signal.SIG_IGN)
    _keep_memory(libc)
    bodies = _received(connection)
    first = next(bodies, None)
    if first is None:
        return
    setup = decode_setup(first[0])
    if setup.memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (setup.memory_bytes, setup.memory_bytes))
    cleaner = Cleaner(setup.rules, setup.form)
    # What is alive now stays alive: no need to look at it again and again.
    gc.collect()
    gc.freeze()
    answers = frame(Answer())  # filled below, emptied into the socket; bound: ANSWER_BYTES and one answer
    with suppress(BrokenPipeError):  # nobody waits for it any more; the loop below finds the end of file
        connection.sendall(answers)
    answers.clear()
    for body, has_more in bodies:
        page_bytes = len(body)
        crash_point("cleaning")
        answers += frame(answer(cleaner, decode_page(body)))
        if page_bytes > HEAVY_BYTES:
            libc.malloc_trim(0)
        if len(answers) >= ANSWER_BYTES or not has_more:
            connection.sendall(answers)
            answers = bytearray()


def answer(cleaner: Cleaner, page: PageJob) -> Answer:
    """What comes of a page."""
    if not page.content:
        return Answer(reason="it is empty")
    content = page.content.decode() if page.is_decoded else page.content
    try:
        return Answer(cleaner.clean(content, page.url, page.content_type))
    except NotCleanable as error:
        return Answer(reason=error.reason)
    except MemoryError:
        return Answer(reason=OUT_OF_MEMORY)


def _received(connection: socket.socket) -> Iterator[tuple[memoryview, bool]]:
    """The engine's messages, each with whether another one is here already."""
    frames = FrameReader()
    with suppress(ConnectionResetError):  # the engine was killed, which ends this process as well
        while count := connection.recv_into(frames.room()):
            bodies = frames.received(count)
            for left, body in enumerate(bodies, 1 - len(bodies)):
                yield body, left < 0


def _keep_memory(libc: ctypes.CDLL) -> None:
    """Ask malloc to keep what a page took for the next page."""
    mallopt = getattr(libc, "mallopt", None)  # not every C library has it
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES)
        mallopt(M_TRIM_THRESHOLD, KEPT_BYTES)


if __name__ == "__main__":
    main()
