"""The two clocks that a crawl reads, in one place so that a test can turn them by hand.

Wall time goes into records and into every time that must survive a restart; monotonic time measures
durations within one run, where a jump of the wall clock must not matter.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache


class Clock:
    """The real clocks. They are asked some twenty times a page: hence no methods around them."""

    wall = staticmethod(time.time)  # seconds since the epoch
    monotonic = staticmethod(time.monotonic)  # seconds since some fixed moment; never runs backwards


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


def utc_text(wall_s: float) -> str:
    """A wall time as `2026-11-15T11:23:12.963Z`. It is needed for every page, so the second is worked out once."""
    second = int(wall_s)
    return f"{_second_text(second)}.{int((wall_s - second) * 1000):03}Z"


def utc_text_exact(wall_s: float) -> str:
    """The same to the microsecond: `2026-11-15T11:23:12.963104Z`."""
    second = int(wall_s)
    return f"{_second_text(second)}.{int((wall_s - second) * 1_000_000):06}Z"


@lru_cache(maxsize=64)
def _second_text(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")
