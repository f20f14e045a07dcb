"""A crawl watched from outside as it grows: its processes' memory and CPU with every report of its progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bench.growth_crawl import Progress
from bench.measure import each_line, memory_bytes
from weft.config import CrawlConfig

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Sample(msgspec.Struct, frozen=True):
    """One moment of a crawl."""

    at_s: float
    pages: int
    requests: int
    seen: int
    queued: int
    answers: dict[str, int]
    engine_cpu_s: float
    workers_cpu_s: float
    server_cpu_s: float
    engine_bytes: int  # PSS: what processes share is divided among them
    workers_bytes: int
    state_bytes: int
    has_workers: bool = True  # without them it writes its index files


def watch_crawl(folder: Path, config: CrawlConfig, server_pid: int, log: Path) -> Iterator[Sample]:
    """Crawl into the folder; a sample twice a second, the last one when all is over."""
    command = [sys.executable, "-m", "bench.growth_crawl", str(folder)]
    for pid, line in each_line(command, msgspec.json.encode(config), log):
        yield _sample(msgspec.json.decode(line, type=Progress), pid, server_pid, folder)


def _sample(progress: Progress, pid: int, server_pid: int, folder: Path) -> Sample:
    workers = progress.worker_pids
    return Sample(
        at_s=progress.at_s,
        pages=progress.pages,
        requests=progress.requests,
        seen=progress.seen,
        queued=progress.queued,
        answers=progress.answers,
        engine_cpu_s=cpu_s(pid),
        workers_cpu_s=sum(map(cpu_s, workers)),
        server_cpu_s=cpu_s(server_pid),
        engine_bytes=memory_bytes(pid),
        workers_bytes=sum(map(memory_bytes, workers)),
        state_bytes=folder_bytes(folder / "state"),
        has_workers=bool(workers),
    )


def cpu_s(pid: int) -> float:
    """User and system time of a process, without its children; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_S


def folder_bytes(folder: Path) -> int:
    """The files in a folder and below. Some vanish while one looks."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total
