"""`--rate`: how many pages a second the crawl may ask for in all."""

from __future__ import annotations

# Timers wake a little late: so much is made up for, or the crawl would fall short of its rate by as much.
LATENESS_S = 0.01


class Pace:
    """Spreads requests evenly: one may begin every 1/rate seconds."""

    def __init__(self, rate: float | None) -> None:
        self._interval_s = 1 / rate if rate else 0.0
        self._next_at = 0.0

    def wait_s(self, now: float) -> float:
        """How long until the next request may begin; 0 when it may."""
        return max(0.0, self._next_at - now)

    def begin(self, now: float) -> None:
        """A request begins. Time that nobody used is not made up for."""
        if self._interval_s:
            self._next_at = max(self._next_at, now - min(self._interval_s, LATENESS_S)) + self._interval_s
