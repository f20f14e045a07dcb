"""A file that appears when all of it is written, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def appearing_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to: safe on disk and under its name when the block ends well, and gone when it does not."""
    temporary = path.with_name(path.name + ".tmp")
    out = temporary.open("wb")
    try:
        with out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
