"""Which engines ask an IP address: a table in memory that all of them share, a byte for each engine and address.

Sites of several engines may lie at one address. There each engine keeps to its part of what the address can bear:
`frontier.gates` asks how many there are. Two addresses may share a place in the table; both are asked less, then.
"""

from __future__ import annotations

import mmap
import os
from typing import Final
from zlib import crc32

PLACES: Final = 65_536


class Addresses:
    """As one engine sees the table."""

    def __init__(self, descriptor: int, number: int, engines: int) -> None:
        self._table = mmap.mmap(descriptor, PLACES * engines)
        self._number = number
        self._engines = engines

    @staticmethod
    def make(engines: int) -> int:
        """The table, empty: a descriptor, for whoever makes it to close."""
        descriptor = os.memfd_create("weft-addresses", os.MFD_CLOEXEC)
        os.ftruncate(descriptor, PLACES * engines)
        return descriptor

    def engines_at(self, address: str) -> int:
        """This engine asks the address; how many do by now."""
        start = crc32(address.encode()) % PLACES * self._engines
        self._table[start + self._number] = 1
        return self._table[start : start + self._engines].count(1)

    def close(self) -> None:
        """The table is not needed any more."""
        self._table.close()
