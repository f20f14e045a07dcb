"""What can be said about a long run."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """How long and how hard; every part takes from it what concerns it."""

    kills: int = 300
    seed: int = 1
    minutes: float = math.inf  # of each part; then it ends what it has begun

    def time_box(self, share: float = 1.0) -> TimeBox:
        """The time of a part that begins now, or a share of it."""
        return TimeBox(time.monotonic() + self.minutes * 60 * share)


@dataclass(frozen=True, slots=True)
class TimeBox:
    """A time after which nothing new is begun."""

    ends_at: float  # of the monotonic clock

    def is_over(self) -> bool:
        """Whether it is time to come to an end."""
        return time.monotonic() >= self.ends_at
