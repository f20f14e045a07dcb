"""Which engines ask an IP address, and with how many requests: a table in memory that all of them share.

Sites of several engines may lie at one address. There each engine keeps to its part of what the address can bear, and
all of them together never have more requests under way than one engine might: a request is announced, then all are
counted, and it is taken back if there are too many. Two that come at the same moment may both have to try again; they
never both go. Who asks alone need not count: an engine that comes says so first, and then counts what is under way.
Two addresses may share a place in the table; both are asked less, then.
"""

from __future__ import annotations

import mmap
from typing import Final
from zlib import crc32

from weft.workers.shared_bytes import make_shared_bytes

PLACES: Final = 65_536
# Of each engine at each place: connections that it might have alone (0: it does not ask), requests under way.
FIELDS: Final = 2
FIELD_BYTES: Final = 2
MOST: Final = (1 << 8 * FIELD_BYTES) - 2  # one more is announced before it is counted


class Addresses:
    """As one engine sees the table: `frontier.gates.Sharing`."""

    def __init__(self, descriptor: int, number: int, engines: int) -> None:
        self._mapped = mmap.mmap(descriptor, _size(engines))
        self._table = memoryview(self._mapped).cast("H")
        self._number = number
        self._engines = engines

    @staticmethod
    def make(engines: int) -> int:
        """The table, empty: a descriptor, for whoever makes it to close."""
        return make_shared_bytes("weft-addresses", _size(engines))

    def at(self, address: str, connections: int) -> AddressPlace:
        """This engine asks the address from now on, alone with this many connections."""
        start = crc32(address.encode()) % PLACES * FIELDS * self._engines
        return AddressPlace(self._mapped, self._table, start, self._engines, self._number, connections)

    def close(self) -> None:
        """The table is not needed any more."""
        self._table.release()
        self._mapped.close()


class AddressPlace:
    """One place: `frontier.gates.Place`. Asked for each request, so what others ask with is read again if it changed.

    The limits of all engines, then what each has under way.
    """

    __slots__ = (
        "_connections", "_limits", "_limits_read", "_mapped", "_most", "_our_limit", "_ours", "_share", "_table",
        "_under_way", "engines",
    )  # fmt: skip

    def __init__(
        self, mapped: mmap.mmap, table: memoryview, start: int, engines: int, number: int, connections: int
    ) -> None:
        self._mapped = mapped
        self._table = table
        self._limits = slice(start * FIELD_BYTES, (start + engines) * FIELD_BYTES)
        self._under_way = slice(start + engines, start + 2 * engines)
        self._ours = start + engines + number
        self._our_limit = start + number
        self._raise(connections)
        self._look()

    def enter(self, connections: int) -> bool:
        """A request is to start; False: it may not, as there are enough under way."""
        if connections > self._connections:
            self._raise(connections)
        table, ours = self._table, self._ours
        under_way = table[ours]
        table[ours] = under_way + 1
        if self._mapped[self._limits] != self._limits_read:
            self._look()
        if under_way < self._share and (self.engines == 1 or sum(table[self._under_way]) <= self._most):
            return True
        table[ours] = under_way
        return False

    def leave(self) -> None:
        """A request has ended."""
        self._table[self._ours] -= 1

    def _raise(self, connections: int) -> None:
        self._connections = connections
        before = self._table[self._our_limit]  # maybe of another address that has the same place
        self._table[self._our_limit] = max(before, min(connections, MOST))

    def _look(self) -> None:
        """Who else asks here."""
        self._limits_read = self._mapped[self._limits]
        limits = memoryview(self._limits_read).cast("H").tolist()
        self.engines = sum(map(bool, limits))
        self._most = max(limits)
        self._share = max(1, self._most // self.engines)


def _size(engines: int) -> int:
    return PLACES * engines * FIELDS * FIELD_BYTES
