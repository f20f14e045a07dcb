"""What is wrong with a pack."""

from __future__ import annotations

from weft.errors import WeftError


class DamagedPack(WeftError):
    """A pack, or a folder made from one, is not what its manifest or its signature says. `file` is what differs."""

    def __init__(self, file: str, what: str) -> None:
        super().__init__(f"{file}: {what}")
        self.file = file
        self.what = what
