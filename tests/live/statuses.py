"""A status as a crawl in the middle of its work has it."""

from __future__ import annotations

from typing import Any

from weft.dns import DnsStatistics
from weft.live.status import (
    Done,
    HostFigures,
    Limit,
    Limiter,
    Memory,
    Rates,
    Stage,
    State,
    Status,
    Steered,
    Visited,
)
from weft.pipeline.progress import HostStates, HostWait, RobotsFigures
from weft.stats.figures import LeftOut


def a_status(**changes: Any) -> Status:
    """With some of its fields changed."""
    fields: dict[str, Any] = {
        "pages": 12_345,
        "requests": 13_579,
        "bytes": 987_654_321,
        "seconds": 100.5,
        "pages_per_s": 122.8,
        "cpu_s": 61.2,
        "engine_cpu_s": 40.1,
        "workers_cpu_s": 21.1,
        "peak_rss_bytes": 400_000_000,
        "redirects": 321,
        "retries": 45,
        "queued": 6_789,
        "refused": {"scope": 4_000, "robots": 12},
        "left_out": [LeftOut("robots", "Disallow: /private", 12, "http://a.test/private")],
        "failed": {"connect-refused": 7, "reset": 2},
        "statuses": {"200": 12_345, "301": 321, "404": 100, "999": 1},
        "parked": 3,
        "exit": "running",
        "state": State.RUNNING,
        "updated": "2026-11-16T14:20:30.500Z",
        "began": "2026-11-16T14:18:50.000Z",
        "pid": 4321,
        "machine": "crawler-1",
        "version": "0.1.0",
        "run_s": 200.5,
        "seen": 20_000,
        "rates": Rates(120.5, 131.0, 9_876_543.0),
        "limit": Limit("pages", 12_345, 50_000, 24.7, 312.5),
        "limiter": Limiter(
            "politeness", "politeness: 12 of 14 hosts rest", "`--connections-per-host` or `--delay` would change that"
        ),
        "under_way": 9,
        "slots": 64,
        "preparing": 2,
        "parsing": 4,
        "stages": [
            Stage("resolve", 8, 256, 0, 90.0, 1.5, "hold: 0 wait"),
            Stage("fetch", 64, 512, 0, 40.0, 121.0, "hold"),
            Stage("parse", 2, 4, 3, 12.5, 120.0, "hold: 3 wait"),
        ],
        "kinds": {"OK": 12_345, "404": 100, "time-out": 3, "too many redirects": 0, "other": 6},
        "hosts": HostStates(in_memory=16, ready=1, busy=1, waiting=12, preparing=2, left=3),
        "waiting": [HostWait("slow.test", 28.5, "between two requests")],
        "left": [HostWait("dead.test", 0.0, "connect-refused")],
        "by_pages": [HostFigures("a.test", 9_000, 8_900, 700_000_000, 1, 0.05)],
        "slowest": [HostFigures("slow.test", 10, 9, 1_000, 1, 3.5)],
        "newest": [Visited("2026-11-16T14:20:30.400Z", "http://a.test/new", 200, "response", 8_000, 0.06)],
        "dns": DnsStatistics(100, 16, 2, 16, 0, 1, 0, 12.5, 16, 0, 1),
        "robots": RobotsFigures(16, 16),
        "memory": Memory(200_000_000, 150_000_000, 1_000_000, 256_000_000),
        "steered": Steered(seeds=["http://a.test/"], seed_count=1, delay_s=1.0),
        "commands": [Done("2026-11-16T14:19:00.000Z", "at most 150 pages a second")],
        "warnings": [],
        "workers_died": 1,
        "disk_free_bytes": 80_000_000_000,
    }
    return Status(**(fields | changes))
