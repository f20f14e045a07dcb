"""Points of a crawl's curves."""

from __future__ import annotations

from weft.live.status import Moment

NOW_S = 1_800_000_000.0  # the fake clock's


def a_history(points: int = 1_200, *, every_s: float = 1.0, until_s: float = NOW_S) -> list[Moment]:
    """Curves that go up and down."""
    return [
        Moment(
            at=until_s - (points - 1 - n) * every_s,
            pages=10 * n,
            bytes=1_000_000 * n,
            pages_per_s=10 + n % 17,
            bytes_per_s=1e6 + 1e4 * (n % 40),
            queued=40_000 + n,
            under_way=n % 20,
            workers=[128, 128 + n // 10, 1 + n % 2],
            buffers=[n % 5, n % 60, n % 7],
            idle_percent=[97.0, 50.0 + n % 30, 20.0 + n % 60],
            hosts_ready=2,
            hosts_waiting=12,
            memory=240_000_000,
            limiter="politeness",
        )
        for n in range(points)
    ]
