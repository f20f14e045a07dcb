"""What a live view costs: a crawl of a synthetic web alone, with the view, and with five who look on.

    python bench/dashboard_cpu.py [--pages N] [--viewers N] [--rounds N]

Prints the CPU of the crawl (engine and workers) a page, and of the view's process beside it.
"""

from __future__ import annotations

import argparse
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]

from weft.live.reader import read_status
from weft.simweb import SimProcess, WebSpec


class Cost(NamedTuple):
    """Of one crawl."""

    pages: int
    seconds: float
    crawl_cpu_s: float
    view_cpu_s: float

    @property
    def us_a_page(self) -> float:
        return 1e6 * self.crawl_cpu_s / self.pages


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=12_000)
    parser.add_argument("--viewers", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.0, help="pages a second; 0: as fast as it goes")
    given = parser.parse_args()
    cases = {"alone": None, "with a view": 0, f"and {given.viewers} viewers": given.viewers}
    found: dict[str, list[Cost]] = {name: [] for name in cases}
    with SimProcess(WebSpec(hosts=50, pages=given.pages, seed_hosts=50, page_bytes=8_000)) as sim:
        for _ in range(given.rounds):
            for name, viewers in cases.items():
                found[name].append(crawled(sim, viewers, given.rate))
                print(f"{name}: {found[name][-1]}", file=sys.stderr, flush=True)
    print("case                 pages/s   CPU µs a page   CPU of the view   share of the crawl's CPU")
    for name, costs in found.items():
        speed = statistics.median(cost.pages / cost.seconds for cost in costs)
        page = statistics.median(cost.us_a_page for cost in costs)
        view = statistics.median(cost.view_cpu_s for cost in costs)
        share = statistics.median(cost.view_cpu_s / cost.crawl_cpu_s for cost in costs)
        print(f"{name:20} {speed:7.0f} {page:15.0f} {view:15.2f} s {share:25.1%}")


def crawled(sim: SimProcess, viewers: int | None, rate: float) -> Cost:
    """One crawl; `viewers` look on, None is no view at all."""
    flags = [
        "--scope",
        "any",
        "--delay",
        "0",
        "--dns-server",
        sim.dns,
        "--allow-private",
        "--json",
        "--user-agent",
        "b",
    ]
    flags += ["--connections-per-host", "8", "--connections-per-address", "64"]
    flags += ["--rate", f"{rate:g}"] if rate else []
    flags += [] if viewers is None else ["--dashboard", "127.0.0.1:0"]
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as open_ones:
        command = [sys.executable, "-m", "weft", "crawl", *sim.seeds, "-o", "crawl", *flags]
        began = time.monotonic()
        process = subprocess.Popen(command, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        open_ones.callback(process.kill)
        assert process.stderr is not None
        view = view_of(process) if viewers is not None else None
        watch = Watch(view)
        if viewers is not None:
            port = int(next(re.findall(r":(\d+)/#", line)[0] for line in process.stderr if "#token=" in line))
            for _ in range(viewers):
                open_ones.enter_context(viewer(port))
        process.communicate()
        seconds = time.monotonic() - began
        status = read_status(Path(scratch) / "crawl")
        assert status is not None
        return Cost(status.pages, seconds, status.cpu_s, watch.cpu_s)


def view_of(process: subprocess.Popen[str]) -> psutil.Process:
    """The child that shows the crawl."""
    while True:
        for child in psutil.Process(process.pid).children():
            if "weft.dashboard.child" in child.cmdline():
                return child
        time.sleep(0.01)


class Watch:
    """Reads a process's CPU until it ends."""

    def __init__(self, process: psutil.Process | None) -> None:
        self.cpu_s = 0.0
        self._process = process
        if process is not None:
            threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        assert self._process is not None
        try:
            while True:
                times = self._process.cpu_times()
                self.cpu_s = times.user + times.system
                time.sleep(0.05)
        except psutil.Error:
            pass


@contextmanager
def viewer(port: int) -> Iterator[None]:
    """A browser's stream, read as it comes."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")

    def read() -> None:
        while connection.recv(1 << 16):
            pass

    threading.Thread(target=read, daemon=True).start()
    yield


if __name__ == "__main__":
    main()
