"""The folder of a crawl that a program runs: its own, or a temporary one."""

from __future__ import annotations

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
        weakref.finalize(self, shutil.rmtree, temporary, ignore_errors=True)
