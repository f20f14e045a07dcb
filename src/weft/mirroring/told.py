"""What a writer tells."""

from __future__ import annotations

import msgspec


class Told(msgspec.Struct):
    """What a writer has done so far, or why it cannot go on."""

    files: int = 0
    written: int = 0  # of these: they were not there, or something else was
    error: str = ""
    is_disk_full: bool = False
