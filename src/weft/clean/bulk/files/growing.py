"""A file that grows by whole batches, and is cut to what is known of it when a job goes on."""

from __future__ import annotations

import os
from pathlib import Path

from weft.errors import FolderError, told_in_words
from weft.state import sync_path


class GrowingFile:
    """A file of which `end` bytes are true. It is there once something was written to it."""

    def __init__(self, path: Path, end: int) -> None:
        self.path = path
        self.end = end
        self._fd: int | None = None
        self._is_changed = False
        if not path.exists():
            if end:
                raise FolderError(f"{path} is gone; --force begins again")
            return
        if path.stat().st_size < end:
            raise FolderError(f"{path} has lost what was safely on disk; --force begins again")
        self._open()
        self.cut()

    def create(self) -> None:
        """Have the file there, if only an empty one."""
        if self._fd is None:
            self._open()
            with told_in_words(self.path):
                sync_path(self.path.absolute().parent)  # its name must survive as well

    def append(self, data: bytes) -> None:
        """Write behind the end. It is safe after `sync`; if that is not reached, it never was."""
        if not data:
            return
        self.create()
        assert self._fd is not None
        with told_in_words(self.path):
            self._is_changed = True
            at = self.end
            view = memoryview(data)
            while view:
                written = os.pwrite(self._fd, view, at)
                at += written
                view = view[written:]
        self.end = at

    def sync(self) -> None:
        """Make what was written survive power loss."""
        if self._fd is not None and self._is_changed:
            with told_in_words(self.path):
                os.fdatasync(self._fd)
            self._is_changed = False

    def cut(self) -> None:
        """Take away what lies behind the end: it was never noted, and must not come back in place of what follows."""
        if self._fd is not None:
            with told_in_words(self.path):
                os.ftruncate(self._fd, self.end)
                os.fsync(self._fd)

    def close(self) -> None:
        """Leave the file as it is."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _open(self) -> None:
        with told_in_words(self.path):
            self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
