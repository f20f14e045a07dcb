"""A cleaning worker: `python -m weft.clean.bulk.worker SOCKET ENGINE_PID`.

A plain loop: read a page, clean it, answer. It knows no database and no file, and ends with its engine.
"""

from __future__ import annotations

import gc
import resource
from contextlib import suppress

from weft.clean import Cleaner, NotCleanable
from weft.clean.bulk.messages import Answer, PageJob, decode_page, decode_setup
from weft.crash_points import crash_point
from weft.workers.frames import frame, received
from weft.workers.malloc import give_memory_back, keep_memory
from weft.workers.process import begin_worker

KEPT_BYTES = 8 * 1024 * 1024  # of free memory
HEAVY_BYTES = 512 * 1024  # after such a page memory goes back to the system
# Each message wakes the engine: while more pages are at hand, answers go together.
ANSWER_BYTES = 128 * 1024
OUT_OF_MEMORY = "it needs more memory than it may have"


def main() -> None:
    """Serve one engine until it closes the socket or dies."""
    connection = begin_worker()
    keep_memory(KEPT_BYTES)
    bodies = received(connection)
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
            give_memory_back()
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


if __name__ == "__main__":
    main()
