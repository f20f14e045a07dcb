"""A database where nothing may be written, read by way of a folder of links to its files.

rocksdict writes a file of its own beside the database, and RocksDB a log, also when they only read. So they are shown
another folder, with links to the files of the first, and write what they will there.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

OWN_FILES: Final = ("rocksdict-config.json",)  # which rocksdict opens for writing


class LinkedCopy:
    """A folder that looks like another. It is gone when it is closed, or with the process."""

    def __init__(self, original: Path) -> None:
        self._original = original.absolute()
        self._folder = TemporaryDirectory(prefix="weft-read-")

    def made(self) -> Path:
        """The folder as the original is now."""
        copy = Path(self._folder.name) / "db"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in os.listdir(self._original):
            if name in OWN_FILES:
                shutil.copyfile(self._original / name, copy / name)
            else:
                (copy / name).symlink_to(self._original / name)
        return copy

    def close(self) -> None:
        """Remove it."""
        self._folder.cleanup()
