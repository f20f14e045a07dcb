"""The two clocks that a crawl reads, in one place so that a test can turn them by hand.

Wall time goes into records and into every time that must survive a restart; monotonic time measures
durations within one run, where a jump of the wall clock must not matter.
"""

from __future__ import annotations

import time


class Clock:
    """The real clocks."""

    def wall(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds since some fixed moment; never runs backwards."""
        return time.monotonic()


class FakeClock(Clock):
    """A clock that stands still until a test advances it."""

    def __init__(self, start: float = 1_800_000_000.0) -> None:
        self.now = start

    def advance(self, seconds: float) -> None:
        """Let time pass on both clocks."""
        self.now += seconds

    def wall(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now
