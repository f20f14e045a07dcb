"""A node's life and its lease: until when it may ask servers for pages.

A renewal carries the lease on from the moment at which it was *sent*. Others wait longer than that before they say that
the life is over, so that no two nodes ever ask the same host. Times are of CLOCK_BOOTTIME: it goes on while the machine
sleeps, and nobody sets it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf
from typing import Final

from weft.cluster.members import SPARE_S
from weft.errors import WeftError

LEASE_S: Final = 30.0
SHORTEST_LEASE_S: Final = 5.0
LONGEST_LEASE_S: Final = 3600.0
RENEWALS_PER_LEASE: Final = 4


class LifeOver(WeftError):
    """This life of the node is over, as others have said; the next one begins."""


def boot_time_s() -> float:
    """Seconds since the machine was started, its sleep among them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """Whether a request may begin."""

    def __init__(self, lease_s: float, now_s: Callable[[], float] = boot_time_s) -> None:
        self.lease_s = lease_s
        self.renew_every_s = lease_s / RENEWALS_PER_LEASE
        self._now_s = now_s
        self._until_s = -inf

    def renewed(self, sent_at_s: float) -> None:
        """A renewal that was sent then has been acknowledged."""
        self._until_s = max(self._until_s, sent_at_s + self.lease_s - SPARE_S)

    def end(self) -> None:
        """Nothing may begin any more."""
        self._until_s = -inf

    def holds(self) -> bool:
        """Whether a request may be sent now."""
        return self._now_s() < self._until_s

    def left_s(self) -> float:
        """For how long it holds."""
        return self._until_s - self._now_s()
