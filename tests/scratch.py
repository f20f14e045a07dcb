"""Where tests keep their files, and what happens when there is no more room for them."""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IN_MEMORY = Path("/dev/shm")


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """An empty folder that is gone afterwards.

    In memory where there is such a place: databases are opened by the hundred, and a disk's syncs would take most
    of the time.
    """
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None, prefix="weft-") as folder:
        yield Path(folder)


@contextmanager
def files_no_longer_than(limit_bytes: int) -> Iterator[None]:
    """The kernel lets this process write no further than the limit, in any file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
