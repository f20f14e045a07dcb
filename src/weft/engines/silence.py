"""Who hangs at the end of a run: an engine that says nothing any more, not one that takes long. Pure.

An engine that runs tells every second how it stands, however slow the servers are that it still waits for; each of its
requests has a bound of its own.
"""

from __future__ import annotations

from collections.abc import Iterable


class Silence:
    """Since when each engine has said nothing."""

    def __init__(self, patience_s: float) -> None:
        self._patience_s = patience_s
        self._heard_at: dict[int, float] = {}

    def begin(self, engines: Iterable[int], now: float) -> None:
        """These run, from now on."""
        self._heard_at = dict.fromkeys(engines, now)

    def hear(self, engine: int, now: float) -> None:
        """One of them says something."""
        self._heard_at[engine] = now

    def end(self, engine: int) -> None:
        """It has nothing more to say."""
        self._heard_at.pop(engine, None)

    def late(self, now: float) -> int | None:
        """An engine that has been silent for too long; None if none has."""
        for engine, heard_at in self._heard_at.items():
            if now - heard_at >= self._patience_s:
                return engine
        return None

    def left_s(self, now: float) -> float | None:
        """Until one will have been, if it says nothing; None when all have ended."""
        if not self._heard_at:
            return None
        return max(0.0, min(self._heard_at.values()) + self._patience_s - now)
