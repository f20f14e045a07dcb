"""A cleaning worker: `python -m weft.clean.bulk.worker SOCKET ENGINE_PID`.

It reads a page, cleans it, and answers. It knows no database and no file, and ends with its engine.
"""

from __future__ import annotations

import resource
from collections.abc import Callable

from weft.clean import Cleaner, NotCleanable
from weft.clean.bulk.messages import Answer, PageToClean, decode_page, decode_setup
from weft.crash_points import crash_point
from weft.workers.inside import Tell, serve
from weft.workers.malloc import give_memory_back

KEPT_BYTES = 8 * 1024 * 1024  # of free memory
HEAVY_BYTES = 512 * 1024  # after such a page memory goes back to the system
OUT_OF_MEMORY = "it needs more memory than it may have"


def main() -> None:
    """Serve one engine."""
    serve(begin, kept_bytes=KEPT_BYTES)


def begin(first: memoryview, tell: Tell) -> Callable[[memoryview], Answer]:
    """Set up as the first message says; returns what cleans the pages of the others."""
    setup = decode_setup(first)
    if setup.memory_bytes:
        resource.setrlimit(resource.RLIMIT_AS, (setup.memory_bytes, setup.memory_bytes))
    cleaner = Cleaner(setup.rules, setup.form)

    def clean(body: memoryview) -> Answer:
        crash_point("cleaning")
        done = answer(cleaner, decode_page(body))
        if len(body) > HEAVY_BYTES:
            give_memory_back()
        return done

    return clean


def answer(cleaner: Cleaner, page: PageToClean) -> Answer:
    """What comes of a page."""
    if not page.content:
        return Answer(reason=page.damage or "it is empty")
    content = page.content.decode() if page.is_decoded else page.content
    try:
        return Answer(cleaner.clean(content, page.url, page.content_type, page.template))
    except NotCleanable as error:
        return Answer(reason=error.reason)
    except MemoryError:
        return Answer(reason=OUT_OF_MEMORY)


if __name__ == "__main__":
    main()
