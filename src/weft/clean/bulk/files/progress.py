"""Which pages of a crawl are done.

Pages are given out in the order of the archive, and come back as they are done, in about that order. So it is enough
to know up to where each WARC file was given out, and which of the pages before that are not done: the holes. There
are never more of them than pages under way. Both are written down with every batch, and a job that goes on begins
with them; records that a crawl has added to a file meanwhile lie behind, and are pages to be done like others.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

import msgspec

from weft.folder.archive_order import OFFSET_BITS
from weft.types import PageRow


class Origin(msgspec.Struct, frozen=True):
    """What a page came from: what is told of it beside its cleaned content."""

    record_id: str
    fetched_at: float
    status: int
    digest: str  # of the payload
    file: str  # the final name of the WARC file
    offset: int


class Progress:
    """What source and sink of a job both know; each may be in a thread of its own."""

    def __init__(self, upto: dict[int, int], holes: Iterable[int]) -> None:
        self._upto = dict(upto)
        self._holes = set(holes)
        self._under_way: dict[
            int, Origin
        ] = {}  # filled by the source, emptied by the sink; bound: the engine's buffers
        self._is_all_given = False
        self._lock = Lock()

    def is_done(self, row: PageRow, place: int) -> bool:
        """Whether a page was done before this job was opened."""
        return row.offset < self._upto.get(row.file, 0) and place not in self._holes

    def give(self, place: int, origin: Origin) -> None:
        """A page is under way."""
        file, offset = place >> OFFSET_BITS, place & (1 << OFFSET_BITS) - 1
        with self._lock:
            self._upto[file] = max(self._upto.get(file, 0), offset + 1)
            self._holes.add(place)
            self._under_way[place] = origin

    def end(self) -> None:
        """There is no page that is not given."""
        self._is_all_given = True

    def origin(self, place: int) -> Origin:
        """Of a page that is under way."""
        return self._under_way[place]

    def finish(self, places: Iterable[int]) -> None:
        """These pages are done."""
        with self._lock:
            for place in places:
                del self._under_way[place]
                self._holes.discard(place)

    @property
    def is_whole(self) -> bool:
        """Whether every page is done."""
        return self._is_all_given and not self._under_way

    def told(self) -> tuple[dict[int, int], list[int]]:
        """How far each file is given out, and the holes."""
        with self._lock:
            return dict(self._upto), sorted(self._holes)
