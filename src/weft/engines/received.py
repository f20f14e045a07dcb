"""How many bytes the engines of a crawl have received: a number each, in memory that all of them share.

So that `--max-bytes` is seen by each engine as soon as all of them have reached it, not when they have told each other.
"""

from __future__ import annotations

import mmap
from typing import Final

from weft.workers.shared_bytes import make_shared_bytes

NUMBER_BYTES: Final = 8


class Received:
    """As one engine sees it."""

    def __init__(self, descriptor: int, number: int, engines: int) -> None:
        self._mapped = mmap.mmap(descriptor, NUMBER_BYTES * engines)
        self._bytes = memoryview(self._mapped).cast("Q")
        self._number = number

    @staticmethod
    def make(engines: int) -> int:
        """A descriptor, for whoever makes it to close. Nothing is received yet."""
        return make_shared_bytes("weft-received", NUMBER_BYTES * engines)

    def by_all(self, ours: int) -> int:
        """This engine has received this many; how many all of them have."""
        self._bytes[self._number] = ours
        return sum(self._bytes)

    def close(self) -> None:
        """It is not needed any more."""
        self._bytes.release()
        self._mapped.close()
