"""The machine's cores over a period: how much of them is free, and how much our own processes take.

Where /proc cannot be read nothing is known, and nobody is held back by it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from weft.cores import granted_cores, usable_cores

_STAT = Path("/proc/stat")
_IDLE, _IOWAIT = 4, 5  # fields of a core's line, in ticks
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Cores(NamedTuple):
    """Each counted in cores, as a mean over the period."""

    all: float  # that this process may use
    free: float
    ours: float  # taken by our processes


class CoreMeter:
    """Tells what has passed since it was asked before."""

    def __init__(self, pids: Iterable[int] = ()) -> None:
        self._at = 0.0
        self._idle_s: float | None = None
        self._taken_s: dict[int, float] = {}
        self.read(pids)

    def read(self, pids: Iterable[int]) -> Cores | None:
        """The cores since then, with this process and others of ours; None where the system does not tell."""
        now, cores = time.monotonic(), usable_cores()
        idle_s = idle_s_of(_stat(), cores)
        taken_s = {0: time.process_time(), **{pid: cpu_s for pid in pids if (cpu_s := _cpu_s(pid)) is not None}}
        period_s, before_s, taken_before_s = now - self._at, self._idle_s, self._taken_s
        self._at, self._idle_s, self._taken_s = now, idle_s, taken_s
        if idle_s is None or before_s is None or period_s <= 0:
            return None
        ours_s = sum(cpu_s - taken_before_s.get(pid, 0.0) for pid, cpu_s in taken_s.items())
        free, ours, granted = max(0.0, idle_s - before_s) / period_s, ours_s / period_s, granted_cores()
        return Cores(granted, min(free, max(0.0, granted - ours)), ours)


def idle_s_of(stat: str, cores: set[int]) -> float | None:
    """How long these cores have had nothing to do, by the text of /proc/stat; None if it does not name them."""
    names = {f"cpu{core}" for core in cores}
    found = [fields for line in stat.splitlines() if (fields := line.split()) and fields[0] in names]
    if len(found) < len(names) or any(len(fields) <= _IOWAIT for fields in found):
        return None
    return sum(int(fields[_IDLE]) + int(fields[_IOWAIT]) for fields in found) * _TICK_S


def _stat() -> str:
    try:
        return _STAT.read_text()
    except OSError:
        return ""


def _cpu_s(pid: int) -> float | None:
    """What a process has taken; None once it has ended."""
    try:
        return time.clock_gettime(~pid << 3 | 2)  # the clock of a process, as clock_getcpuclockid(3) numbers it
    except OSError:
        return None
