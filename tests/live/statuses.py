"""A crawl's status for tests, with something in each of its parts."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.dns import DnsStatistics
from weft.live.status import (
    Done,
    HostFigures,
    Limit,
    Limiter,
    Memory,
    Moment,
    Rates,
    Stage,
    State,
    Status,
    Steered,
    Visited,
)
from weft.pipeline.progress import HostStates, HostWait, RobotsFigures

NOW_S = 1_800_000_000.0  # the fake clock's; 2027-01-15T08:00:00Z


def a_status(**changes: Any) -> Status:
    """A crawl in full swing, but for what is changed."""
    hosts = [HostFigures(f"host{n}.test", 900 - n, 800 - n, 9_000_000 - n, n % 3, 0.05 * n) for n in range(12)]
    status = Status(
        pages=12_345,
        requests=13_500,
        bytes=1_234_567_890,
        seconds=754.2,
        pages_per_s=16.4,
        cpu_s=95.5,
        engine_cpu_s=40.25,
        workers_cpu_s=55.25,
        peak_rss_bytes=412_000_000,
        redirects=120,
        retries=31,
        queued=45_678,
        refused={"scope": 90_210, "robots": 812, "pattern": 44},
        left_out=[],
        failed={"connect-timeout": 12, "reset": 3},
        statuses={"200": 12_345, "301": 120, "404": 820, "503": 7},
        parked=1,
        exit="running",
        state=State.RUNNING,
        updated="2027-01-15T08:00:00.000Z",
        began="2027-01-15T07:47:25.800Z",
        pid=4242,
        machine="loom",
        version="0.1.0",
        run_s=1754.2,
        seen=61_000,
        rates=Rates(17.5, 19.0, 1_750_000.0),
        limit=Limit("pages", 12_345, 100_000, 12.345, 5008.9),
        limiter=Limiter(
            "politeness",
            "politeness: 12 of 14 hosts rest; at 1 s a host this web allows 14 pages/s",
            "--connections-per-host or --delay would change that",
        ),
        under_way=14,
        slots=128,
        preparing=2,
        parsing=3,
        stages=[
            Stage("resolve", 128, 512, 0, 97.0, 1.2, "nothing waits"),
            Stage("fetch", 128, 1024, 9, 88.5, 19.0, "as many as there are hosts"),
            Stage("parse", 1, 2, 3, 71.0, 17.5, "one is enough"),
        ],
        kinds={"page": 11_000, "image": 1_000, "not found": 820, "server error": 7},
        hosts=HostStates(in_memory=14, ready=1, busy=1, waiting=12, preparing=2, left=1),
        waiting=[HostWait(f"host{n}.test", 12.0 - n, "between two requests") for n in range(12)],
        left=[HostWait("http://dead.test:80", 0.0, "connect-timeout")],
        by_pages=hosts,
        slowest=hosts[::-1],
        newest=[
            Visited("2027-01-15T07:59:59.5Z", f"http://host{n}.test/page/{n}", 200, "response", 8_000 + n, 0.12)
            for n in range(9)
        ]
        + [Visited("2027-01-15T07:59:50.5Z", "http://dead.test/", 0, "connect-timeout", 0, 20.0)],
        dns=DnsStatistics(100, 14, 2, 14, 0, 1, 0, 12.5, 13, 0, 0),
        robots=RobotsFigures(14, 13),
        memory=Memory(engine=150_000_000, workers=90_000_000, bodies=4_000_000, bodies_most=256_000_000),
        steered=Steered(rate=None, delay_s=1.0, host_delays={"slow.test": 5.0}, exclude=["*/calendar/*"], excludes=1),
        commands=[Done("2027-01-15T07:55:00.000Z", "exclude */calendar/*")],
        warnings=["1 host was left for another run"],
    )
    return msgspec.structs.replace(status, **changes)


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
