"""Why no further request begins at the moment, and how many slots stood empty for it: what balancer and person ask."""

from __future__ import annotations

from enum import StrEnum

from weft.clock import Clock


class Halt(StrEnum):
    """What the next request waits for; `live.limiter` has it in words for a person."""

    STOPPING = "stopping"  # for what is under way
    PARSE = "parsing"  # the workers are behind
    SLOTS = "connections"  # all are in use
    PACE = "pace"  # the rate or bandwidth asked for is reached
    READER = "reader"  # the program that reads the pages is behind
    LEASE = "lease"  # of a node of a cluster: it has ended, or has not begun
    LOG = "log"  # of a cluster: it is behind
    ENGINES = "engines"  # others of the same crawl are still starting
    PAUSED = "paused"
    LOGIN = "login"  # the crawl logs in first
    LIMIT = "limit"  # what is under way may be all that is allowed
    COMMIT = "commit"  # refused URLs are written down first
    NO_HOST = "hosts"  # none is ready


class HaltClock:
    """For how long slots stood empty, by the reason."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.now = Halt.NO_HOST
        self._free = 0
        self._since = clock.monotonic()
        self._free_s = dict.fromkeys(Halt, 0.0)

    def note(self, halt: Halt, free: int) -> None:
        """From now on this many slots are free, and this is why."""
        self._count()
        self.now = halt
        self._free = free

    def free_s(self) -> dict[Halt, float]:
        """Slots × seconds, since the start."""
        self._count()
        return dict(self._free_s)

    def _count(self) -> None:
        now = self._clock.monotonic()
        self._free_s[self.now] += self._free * (now - self._since)
        self._since = now
