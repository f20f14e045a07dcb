"""What the frontier keeps in memory of a host that has work: `python -m bench.host_memory [hosts]`.

Each host has four queued URLs, and an address that was asked for it alone. Nothing is fetched.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import tracemalloc
from pathlib import Path

from weft.clock import FakeClock
from weft.frontier import Frontier, Manners
from weft.order import order_named
from weft.state import State
from weft.types import Kind, Link

HOSTS = 5_000
URLS = 4
HOSTS_PER_BATCH = 500


def main() -> None:
    """Fill a frontier, and print what a host of it takes."""
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else HOSTS
    with tempfile.TemporaryDirectory() as folder:
        state = State(Path(folder) / "db")
        frontier = Frontier(state, FakeClock(), order_named("bfs").rank, Manners(delay_s=1.0), sequence=0)
        gc.collect()
        tracemalloc.start()
        for first in range(0, hosts, HOSTS_PER_BATCH):
            put(state, frontier, range(first, min(hosts, first + HOSTS_PER_BATCH)))
        for number, host in enumerate(frontier.residents.hosts.values()):
            frontier.gates.enter((f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}",), host, 0.0)
        gc.collect()
        taken_bytes, _ = tracemalloc.get_traced_memory()
        print(f"{hosts:,} hosts with {URLS} queued URLs: {taken_bytes / hosts:,.0f} bytes each")
        state.close()


def put(state: State, frontier: Frontier, numbers: range) -> None:
    """Queue the URLs of these hosts."""
    batch = state.batch()
    for number in numbers:
        host = f"host{number}.example"
        for page in range(URLS):
            frontier.put(batch, host, Link(f"http://{host}/page/{page}", 1, Kind.LINK, f"http://{host}/"))
    frontier.seal(batch)
    state.write(batch)
    frontier.settle()


if __name__ == "__main__":
    main()
