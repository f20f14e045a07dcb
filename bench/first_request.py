"""How soon weft does what it was asked for: `weft --version`, and the first request of `weft crawl URL`.

    python -m bench.first_request [runs]

The server is a socket of this machine that answers nothing. CPU is that of the process alone, user and system, up to
that moment; where other programs run, it says more than the time. Modules must be compiled, as pip does it.
"""

from __future__ import annotations

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

RUNS = 15
TARGET_VERSION_CPU_S = 0.1
TARGET_REQUEST_S = 0.25
WITHIN_S = 60.0


class Taken(NamedTuple):
    """By one run."""

    wall_s: float
    cpu_s: float


def version() -> Taken:
    """The whole process."""
    began = time.monotonic()
    process = subprocess.Popen([sys.executable, "-m", "weft", "--version"], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Taken(time.monotonic() - began, usage.ru_utime + usage.ru_stime)


def first_request() -> Taken:
    """From the start of the process to the first bytes of its request; parse workers are not counted."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryDirectory() as folder:
        server.settimeout(WITHIN_S)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        command = [sys.executable, "-m", "weft", "crawl", url, "--allow-private", "--quiet", "-o", f"{folder}/crawl"]
        began = time.monotonic()
        process = subprocess.Popen(command)
        try:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                return Taken(time.monotonic() - began, _cpu_s(process.pid))
        finally:
            process.kill()
            process.wait()


def _cpu_s(pid: int) -> float:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    for what, measure, target in (
        ("weft --version", version, f"{TARGET_VERSION_CPU_S} s of CPU"),
        ("first request", first_request, f"{TARGET_REQUEST_S} s"),
    ):
        measure()  # what is not compiled yet is compiled now
        taken = [measure() for _ in range(runs)]
        walls, cpus = [one.wall_s for one in taken], [one.cpu_s for one in taken]
        print(
            f"{what:15} {statistics.median(walls):.3f} s (best {min(walls):.3f}), "
            f"CPU {statistics.median(cpus):.3f} s (best {min(cpus):.3f}); the target is {target}"
        )


if __name__ == "__main__":
    main()
