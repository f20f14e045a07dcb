"""A crawl's rows of links, read in the order of nodes as often as a pass needs them, each time only what it needs."""

from __future__ import annotations

from typing import Final

import msgspec

from weft.folder.site_rows import targets_of
from weft.page.link_marks import PLACE_BITS, Place

# Places that lead no visitor anywhere: a link in the head of a page.
_NO_WAY: Final = bytes(mark for mark in range(256) if mark & PLACE_BITS == Place.RELATION)
_WAYS: Final = bytes(mark for mark in range(256) if mark & PLACE_BITS != Place.RELATION)


class Marks(msgspec.Struct, array_like=True, gc=False):
    """What of a `LinkNotes` says where its links stand; the rest is skipped."""

    marks: bytes = b""


decode_marks = msgspec.msgpack.Decoder(Marks).decode


def ways_of(edges: bytes, marks: bytes) -> list[bytes]:
    """The nodes that a visitor of the page can get to."""
    targets = targets_of(edges)
    if not marks.translate(None, _WAYS) or len(marks) != len(targets):
        return targets
    return [target for target, mark in zip(targets, marks, strict=True) if mark not in _NO_WAY]
