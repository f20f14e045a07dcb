"""The cores that this process may use: those that it may run on, and the time that its control groups grant it.

A container with two of sixty-four cores (`--cpus 2`, a systemd unit with `CPUQuota=200%`) sees all of them: only its
control group tells that it gets the time of two.
"""

from __future__ import annotations

import math
import os
from pathlib import Path, PurePosixPath

_OWN_GROUPS = Path("/proc/self/cgroup")
_GROUPS = Path("/sys/fs/cgroup")


def core_count() -> int:
    """How many processes can work at once."""
    return math.ceil(granted_cores())


def granted_cores() -> float:
    """How many cores' time this process gets at most."""
    return min(len(usable_cores()), quota_cores())


def usable_cores() -> set[int]:
    """The numbers of those that this process may run on."""
    return os.sched_getaffinity(0)


def quota_cores(own_groups: Path = _OWN_GROUPS, groups: Path = _GROUPS) -> float:
    """The least that this process's control group, or one that this is in, allows; infinity if none says a bound."""
    least = math.inf
    for line in _text(own_groups).splitlines():
        _, _, names_and_path = line.partition(":")
        names, _, path = names_and_path.partition(":")
        if names and "cpu" not in names.split(","):
            continue
        # In a container what is mounted may begin at the group itself, while the path is the machine's: then only the
        # last step of the way up finds it.
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):
            folder = groups / ("cpu" if names else "") / str(group).lstrip("/")
            least = min(least, _quota_v1(folder) if names else _quota_v2(folder))
    return least


def _quota_v2(folder: Path) -> float:
    """`200000 100000` are two cores, `max 100000` are all."""
    return _cores(*_text(folder / "cpu.max").split()[:2])


def _quota_v1(folder: Path) -> float:
    """A quota of -1 is none."""
    return _cores(_text(folder / "cpu.cfs_quota_us").strip(), _text(folder / "cpu.cfs_period_us").strip())


def _cores(quota: str = "", period: str = "") -> float:
    is_bound = quota.isdecimal() and period.isdecimal() and int(quota) > 0 and int(period) > 0
    return int(quota) / int(period) if is_bound else math.inf


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
