"""Descriptors that hold a lock, and that no fork of this process keeps.

A lock of flock holds as long as any process has its descriptor. A program that crawls may fork, by multiprocessing for
instance, and its children may outlive it: they would keep the crawl folder locked for nobody.
"""

from __future__ import annotations

import os
from contextlib import suppress

_open: set[int] = set()


def keep_from_forks(fd: int) -> None:
    """From now on, a fork of this process closes its copy at once."""
    _open.add(fd)


def close_here(fd: int) -> None:
    """Close one that was kept from forks."""
    _open.discard(fd)
    os.close(fd)


def _close_copies() -> None:
    while _open:
        with suppress(OSError):
            os.close(_open.pop())


os.register_at_fork(after_in_child=_close_copies)
