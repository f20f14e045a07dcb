"""A wall clock that is set while a crawl runs. The monotonic one goes on, as it always does."""

from __future__ import annotations

from weft.clock import Clock


class SetClock(Clock):
    """The real clocks; the wall clock is off by so many seconds."""

    def __init__(self, off_s: float = 0.0) -> None:
        self.off_s = off_s

    def wall(self) -> float:
        return super().wall() + self.off_s
