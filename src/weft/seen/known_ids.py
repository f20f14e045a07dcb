"""Ids of known URLs in little memory: 17 bytes each, where a dict takes a hundred."""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import Final

from weft.url import ID_BYTES

# More of them forget less early where one group happens to get more than others; fewer are searched faster.
GROUP_RECORDS: Final = 16
MOST_DEPTH: Final = 254
_RECORD_BYTES: Final = ID_BYTES + 1  # an id, and its depth and one: 0 is nobody's
_RECORDS_BYTES: Final = GROUP_RECORDS * _RECORD_BYTES
GROUP_BYTES: Final = _RECORDS_BYTES + 1  # and which of its records is overwritten next
_write = Struct(f"{ID_BYTES}sB").pack_into


class KnownIds:
    """Ids with the smallest depths they were found at: the newest ones, as many as the memory holds.

    Groups by hash, in each of which a new record takes the place of the oldest. They lie in one block: objects of
    their own, made again with each record, would be of all sizes and leave holes between them.
    Filled by put; bound: `memory_bytes`.
    """

    __slots__ = ("_count", "_next", "_records")

    def __init__(self, memory_bytes: int) -> None:
        self._count = max(1, memory_bytes // GROUP_BYTES)
        self.clear()

    def clear(self) -> None:
        """Take all of them out."""
        self._records = bytearray(self._count * _RECORDS_BYTES)
        self._next = bytearray(self._count)

    def depth(self, url_id: bytes) -> int | None:
        """The depth of an id; None: it is not among these."""
        start = hash(url_id) % self._count * _RECORDS_BYTES
        at = self._records.find(url_id, start, start + _RECORDS_BYTES)
        if at < 0:
            return None
        if (at - start) % _RECORD_BYTES or not self._records[at + ID_BYTES]:
            at = self._find(url_id, start)  # the end of one record and the beginning of the next are like it
        return self._records[at + ID_BYTES] - 1 if at >= 0 else None

    def put(self, url_id: bytes, depth: int) -> None:
        """Put one in, or change its depth. One that is too deep is not kept."""
        if depth > MOST_DEPTH:
            self.remove(url_id)
            return
        group = hash(url_id) % self._count
        start = group * _RECORDS_BYTES
        at = self._find(url_id, start)
        if at < 0:
            turn = self._next[group]
            at = start + turn * _RECORD_BYTES
            self._next[group] = (turn + 1) % GROUP_RECORDS
        _write(self._records, at, url_id, depth + 1)

    def put_all(self, depths: Mapping[bytes, int]) -> None:
        """Put several in: nearly all of them are new."""
        records, turns, count = self._records, self._next, self._count
        find = records.find
        for url_id, depth in depths.items():
            group = hash(url_id) % count
            start = group * _RECORDS_BYTES
            if depth > MOST_DEPTH or find(url_id, start, start + _RECORDS_BYTES) >= 0:
                self.put(url_id, depth)
                continue
            turn = turns[group]
            _write(records, start + turn * _RECORD_BYTES, url_id, depth + 1)
            turns[group] = (turn + 1) % GROUP_RECORDS

    def remove(self, url_id: bytes) -> None:
        """Take one out, if it is there."""
        at = self._find(url_id, hash(url_id) % self._count * _RECORDS_BYTES)
        if at >= 0:
            self._records[at : at + _RECORD_BYTES] = bytes(_RECORD_BYTES)

    def _find(self, url_id: bytes, start: int) -> int:
        """Where its record is in the group that starts there; -1: nowhere."""
        records, stop = self._records, start + _RECORDS_BYTES
        at = records.find(url_id, start, stop)
        while at >= 0 and ((at - start) % _RECORD_BYTES or not records[at + ID_BYTES]):
            at = records.find(url_id, at + 1, stop)
        return at
