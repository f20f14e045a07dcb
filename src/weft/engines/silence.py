"""Who hangs at the end of a run: an engine that says nothing any more, not one that takes long. Pure.

An engine that runs tells every second how it stands, however slow the servers are that it still waits for; each of its
requests has a bound of its own. Who listens may have been stopped itself, as by Ctrl-Z: that time is nobody's silence.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Final

OVERSLEPT_S: Final = 1.0  # later than it wanted to look again, the listener has heard nobody


class Silence:
    """Since when each engine has said nothing."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._heard_at: dict[int, float] = {}
        self._looks_at = inf

    def begin(self, engines: Iterable[int], now: float) -> None:
        """These run, from now on."""
        self._heard_at = dict.fromkeys(engines, now)

    def count_from(self, now: float) -> None:
        """What was not heard before does not count."""
        self._heard_at = dict.fromkeys(self._heard_at, now)
        self._looks_at = inf

    def hear(self, engine: int, now: float) -> None:
        """One of them says something."""
        self._heard_at[engine] = now

    def end(self, engine: int) -> None:
        """It has nothing more to say."""
        self._heard_at.pop(engine, None)

    def late(self, now: float) -> int | None:
        """An engine that has been silent for too long; None if none has."""
        if now - self._looks_at > OVERSLEPT_S:
            self.count_from(now)
        for engine, heard_at in self._heard_at.items():
            if now - heard_at >= self._patience_s:
                return engine
        return None

    def left_s(self, now: float) -> float | None:
        """Until one will have been, if it says nothing; None when all have ended."""
        if not self._heard_at:
            return None
        left_s = max(0.0, min(self._heard_at.values()) + self._patience_s - now)
        self._looks_at = now + left_s
        return left_s
