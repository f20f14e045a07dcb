"""Ids of known URLs in little memory: some 24 bytes each, where a dict takes a hundred."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from weft.url import ID_BYTES

# As many records as a small object of Python's has room for: such objects come from pools, and leave no holes.
GROUP_RECORDS: Final = 28
GROUP_BYTES: Final = 640  # of a full one, with what pools that are not full take
MOST_DEPTH: Final = 255
_RECORD_BYTES: Final = ID_BYTES + 1  # an id, and its depth
_FULL_BYTES: Final = GROUP_RECORDS * _RECORD_BYTES


class KnownIds:
    """Ids with the smallest depths they were found at: the newest ones, as many as the memory holds.

    Groups by hash, each one string of records, in which `find` looks for an id. A full group loses its oldest record.
    Filled by put; bound: `memory_bytes`.
    """

    __slots__ = ("_count", "_groups")

    def __init__(self, memory_bytes: int) -> None:
        self._count = max(1, memory_bytes // GROUP_BYTES)
        self._groups = [b""] * self._count

    def depth(self, url_id: bytes) -> int | None:
        """The depth of an id; None: it is not among these."""
        group = self._groups[hash(url_id) % self._count]
        at = group.find(url_id)
        while at >= 0:
            if not at % _RECORD_BYTES:
                return group[at + ID_BYTES]
            at = group.find(url_id, at + 1)  # the end of one record and the beginning of the next were like it
        return None

    def put(self, url_id: bytes, depth: int) -> None:
        """Put one in, or change its depth. One that is too deep is not kept."""
        number = hash(url_id) % self._count
        group = self._groups[number]
        if url_id in group:  # else, and so nearly always, it is new
            self.remove(url_id)
            group = self._groups[number]
        if depth > MOST_DEPTH:
            return
        if len(group) >= _FULL_BYTES:
            group = group[_RECORD_BYTES:]
        self._groups[number] = b"%b%b%c" % (group, url_id, depth)

    def put_all(self, depths: Mapping[bytes, int]) -> None:
        """Put several in: nearly all of them are new, and their groups have room."""
        groups, count = self._groups, self._count
        for url_id, depth in depths.items():
            number = hash(url_id) % count
            group = groups[number]
            if len(group) >= _FULL_BYTES or depth > MOST_DEPTH or url_id in group:
                self.put(url_id, depth)
            else:
                groups[number] = b"%b%b%c" % (group, url_id, depth)

    def remove(self, url_id: bytes) -> None:
        """Take one out, if it is there."""
        number = hash(url_id) % self._count
        group = self._groups[number]
        for at in range(0, len(group), _RECORD_BYTES):
            if group.startswith(url_id, at):
                self._groups[number] = group[:at] + group[at + _RECORD_BYTES :]
                return

    def clear(self) -> None:
        """Take all of them out."""
        self._groups = [b""] * self._count
