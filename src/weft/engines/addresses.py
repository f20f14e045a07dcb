"""Which engines ask an IP address, and with how many requests: a table in memory that all of them share.

Sites of several engines may lie at one address. There each engine keeps to its part of what the address can bear, and
all of them together never have more requests under way than one engine might: a request is announced, then all are
counted, and it is taken back if there are too many. Two that come at the same moment may both have to try again; they
never both go. Two addresses may share a place in the table; both are asked less, then.
"""

from __future__ import annotations

import mmap
import os
from typing import Final
from zlib import crc32

PLACES: Final = 65_536
# Of each engine at each place: connections that it might have alone (0: it does not ask), requests under way.
FIELDS: Final = 2
FIELD_BYTES: Final = 2
MOST: Final = (1 << 8 * FIELD_BYTES) - 1


class Addresses:
    """As one engine sees the table: `frontier.gates.Sharing`."""

    def __init__(self, descriptor: int, number: int, engines: int) -> None:
        self._mapped = mmap.mmap(descriptor, _size(engines))
        self._table = memoryview(self._mapped).cast("H")
        self._number = number
        self._width = FIELDS * engines

    @staticmethod
    def make(engines: int) -> int:
        """The table, empty: a descriptor, for whoever makes it to close."""
        descriptor = os.memfd_create("weft-addresses", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, _size(engines))
        return descriptor

    def engines_at(self, address: str, connections: int) -> int:
        """This engine asks the address, alone with this many connections; how many engines do by now."""
        start, ours = self._place(address)
        if self._table[ours] < connections:
            self._table[ours] = min(connections, MOST)
        return sum(map(bool, self._limits(start)))

    def enter(self, address: str) -> bool:
        """A request is to start; False: it may not, as there are enough under way."""
        start, ours = self._place(address)
        limits = self._limits(start)
        most, under_way = max(limits), self._table[ours + 1]
        if under_way >= max(1, most // sum(map(bool, limits))):
            return False
        self._table[ours + 1] = under_way + 1
        if sum(self._table[start + 1 : start + self._width : FIELDS]) > most:
            self._table[ours + 1] = under_way
            return False
        return True

    def leave(self, address: str) -> None:
        """A request has ended."""
        self._table[self._place(address)[1] + 1] -= 1

    def _place(self, address: str) -> tuple[int, int]:
        """Where its place begins, and our part of it."""
        start = crc32(address.encode()) % PLACES * self._width
        return start, start + FIELDS * self._number

    def _limits(self, start: int) -> list[int]:
        return self._table[start : start + self._width : FIELDS].tolist()

    def close(self) -> None:
        """The table is not needed any more."""
        self._table.release()
        self._mapped.close()


def _size(engines: int) -> int:
    return PLACES * engines * FIELDS * FIELD_BYTES
