"""A process that reads pages for an export: `reading` starts it."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from weft.crash_points import crash_point
from weft.errors import DamagedRecord, FolderError
from weft.export.content import Told
from weft.export.page_places import ContentSetup, PagePlace, PagePlaces, ToldPages, read
from weft.export.tally import DAMAGED
from weft.workers.inside import Tell, serve

KEPT_BYTES = 8 * 1024 * 1024


def begin(first: memoryview, _tell: Tell) -> Callable[[memoryview], ToldPages]:
    """Set up as the first message says; returns what reads pages."""
    setup = msgspec.msgpack.decode(first, type=ContentSetup)
    decode = msgspec.msgpack.Decoder(PagePlaces).decode

    def told(page: PagePlace) -> Told:
        crash_point("export-reading")
        try:
            return read(page, setup)
        except DamagedRecord:
            return Told(left_out=DAMAGED)

    def answer(body: memoryview) -> ToldPages:
        try:
            return ToldPages([told(page) for page in decode(body).pages])
        except FolderError as error:
            return ToldPages([], str(error))

    return answer


if __name__ == "__main__":
    serve(begin, kept_bytes=KEPT_BYTES)
