"""How much CPU work takes, for tests that compare two sizes of the same."""

from __future__ import annotations

import time
from collections.abc import Callable


def least_cpu_s(work: Callable[[], object]) -> float:
    """Of three times: others share the machine."""
    best = 1e9
    for _ in range(3):
        before = time.process_time()
        work()
        best = min(best, time.process_time() - before)
    return best
