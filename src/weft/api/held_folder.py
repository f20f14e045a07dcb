"""The folder of a crawl that a program runs: its own, or a temporary one."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path


class HeldFolder:
    """The crawl folder; a temporary one is removed when nobody holds it any more: neither the crawl, nor a page."""

    def __init__(self, output: Path | None) -> None:
        self.is_kept = output is not None
        if output is not None:
            self.path = output
            return
        temporary = tempfile.mkdtemp(prefix="weft-")
        self.path = Path(temporary) / "crawl"
        weakref.finalize(self, _remove, temporary, os.getpid())


def _remove(folder: str, owner: int) -> None:
    """Not by a fork of the program, which lets go of its copy, or ends, while the crawl goes on."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
