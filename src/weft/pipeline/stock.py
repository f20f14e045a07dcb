"""Figures that are worked out now and then rather than counted page by page."""

from __future__ import annotations

from weft.clock import Clock
from weft.seen import Seen
from weft.stats import Counters


class StockTaking:
    """Brings a run's time and the seen set's figures into the counters, so that a killed run has them too."""

    def __init__(self, counters: Counters, seen: Seen, clock: Clock) -> None:
        self._counters = counters
        self._seen = seen
        self._clock = clock
        self._began = clock.monotonic()
        self._run_s_before = counters.run_s
        self._answers_before = dict(counters.seen_answers)
        self._pages_before = counters.pages

    def take(self) -> None:
        """Up to now."""
        self._counters.run_s = self._run_s_before + self._clock.monotonic() - self._began
        for answerer, times in self._seen.answers().items():
            self._counters.seen_answers[answerer] = self._answers_before.get(answerer, 0) + times

    def pages_per_s(self) -> float:
        """Of this run, so far."""
        return (self._counters.pages - self._pages_before) / (self._clock.monotonic() - self._began)
