"""Python's collector of reference cycles, in a process that crawls."""

from __future__ import annotations

import gc
from typing import Final

GARBAGE_THRESHOLD: Final = 20_000  # new objects before they are looked at; Python's default is 700


def leave_garbage_alone() -> None:
    """What was imported stays; and most of what a page needs is gone with its last reference, so look rarely."""
    gc.freeze()
    gc.set_threshold(GARBAGE_THRESHOLD)
    gc.enable()  # while modules were loaded it was off
