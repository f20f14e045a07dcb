"""How much memory a piece of foreign code may take: beyond it an allocation fails, instead of the machine.

The kernel counts what a process may write to (RLIMIT_DATA), so libraries and files that are mapped cost nothing. The
limit holds within the bound only: weft's own work has bounds of its own.
"""

from __future__ import annotations

import os
import resource
from contextlib import suppress
from typing import Final

_PAGE_BYTES: Final = resource.getpagesize()
_RESIDENT, _DATA = 1, 5  # fields of /proc/self/statm


class MemoryBound:
    """`begin` and `end` stand around foreign code; `is_over` says whether it has left too much behind."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._before = resource.getrlimit(resource.RLIMIT_DATA)
        self._statm = _opened()
        self._resident_bytes = self._in_use(_RESIDENT)  # once everything is loaded

    def begin(self) -> None:
        """From here on the process may grow by so much and no more."""
        in_use = self._in_use(_DATA)
        if not in_use:  # it cannot be told
            return
        most = in_use + self._limit_bytes
        soft, hard = self._before
        if soft != resource.RLIM_INFINITY:
            most = min(most, soft)
        with suppress(ValueError, OSError):  # a limit that is none of ours is lower
            resource.setrlimit(resource.RLIMIT_DATA, (most, hard))

    def end(self) -> None:
        """All is as before."""
        with suppress(ValueError, OSError):  # who has lowered the hard one has lowered it for good
            resource.setrlimit(resource.RLIMIT_DATA, self._before)

    def is_over(self) -> bool:
        """Whether the process has grown by more than the limit since the bound was made."""
        return self._in_use(_RESIDENT) > self._resident_bytes + self._limit_bytes

    def _in_use(self, field: int) -> int:
        try:
            return int(os.pread(self._statm, 256, 0).split()[field]) * _PAGE_BYTES
        except (OSError, ValueError, IndexError):  # foreign code has closed it: the number may be another file's by now
            self._statm = _opened()
            return 0


def _opened() -> int:
    """Kept open: it is read before and after each call."""
    try:
        return os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # no /proc: then there is no bound
        return -1
