"""A process that reads pages for an export: `reading` starts it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from weft.export.page_places import ContentSetup, PagePlaces, ToldPages, read
from weft.workers.inside import Tell, serve

KEPT_BYTES = 8 * 1024 * 1024


def begin(first: memoryview, _tell: Tell) -> Callable[[memoryview], ToldPages]:
    """Set up as the first message says; returns what reads pages."""
    setup = msgspec.msgpack.decode(first, type=ContentSetup)
    decode = msgspec.msgpack.Decoder(PagePlaces).decode
    return lambda body: ToldPages([read(page, setup) for page in decode(body).pages])


if __name__ == "__main__":
    serve(begin, kept_bytes=KEPT_BYTES)
