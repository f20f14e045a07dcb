"""`--rate` and `--bandwidth`: how much the crawl may ask for in all, in pages or in bytes a second."""

from __future__ import annotations

from weft.types import Fetched

# Timers wake a little late: so much is made up for, or the crawl would fall short of its rate by as much.
LATENESS_S = 0.01


class Pace:
    """Spreads requests evenly: one may begin every 1/rate seconds, and after what has come is paid for."""

    def __init__(self, rate: float | None, bandwidth: float | None = None) -> None:
        self.share(rate)
        self._s_per_byte = 1 / bandwidth if bandwidth else 0.0
        self._paid_at = 0.0  # when the bytes received so far are within the bandwidth

    def share(self, rate: float | None) -> None:
        """Of the rate in all, this much is ours, from now on; None: there is no limit."""
        self.rate = rate
        self._interval_s = 1 / rate if rate else 0.0
        self._next_at = 0.0  # a slow rate before must not delay a fast one

    def wait_s(self, now: float) -> float:
        """How long until the next request may begin; 0 when it may."""
        return max(0.0, self._next_at - now, self._paid_at - now)

    def begin(self, now: float) -> None:
        """A request begins. Time that nobody used is not made up for."""
        if self._interval_s:
            self._next_at = max(self._next_at, now - min(self._interval_s, LATENESS_S)) + self._interval_s

    def receive(self, received_bytes: int, now: float) -> None:
        """A response has come, or a part of one. How large it would be nobody knew, so the next ones wait for it."""
        if self._s_per_byte:
            self._paid_at = max(self._paid_at, now - LATENESS_S) + received_bytes * self._s_per_byte


def received_bytes_of(fetched: Fetched | None) -> int:
    """What came over the wire, head and framing included; of a failure without a whole head nothing is counted."""
    return len(fetched.head) + fetched.body_bytes if fetched is not None else 0
