"""How many tasks a worker has done: a number in memory that it shares with its parent.

Answers may be held back, so the oldest task without one need not be the task that a worker is at, or died with.
"""

from __future__ import annotations

import mmap
from typing import Final

from weft.workers.shared_bytes import make_shared_bytes

NUMBER_BYTES: Final = 8


class TasksDone:
    """The worker counts, its parent reads."""

    def __init__(self, descriptor: int) -> None:
        self._number = memoryview(mmap.mmap(descriptor, NUMBER_BYTES)).cast("Q")

    @staticmethod
    def make() -> int:
        """A descriptor, for whoever makes it to close. Nothing is done yet."""
        return make_shared_bytes("weft-tasks-done", NUMBER_BYTES)

    @property
    def count(self) -> int:
        """Tasks done, be their answers sent or not."""
        return self._number[0]

    def add(self) -> None:
        """Another one is done."""
        self._number[0] += 1
