"""A disk of a few megabytes, in memory, that a test may fill, empty and make read-only."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BALLAST = "ballast"
STEP_BYTES = 64 * 1024


class DiskUnavailable(Exception):
    """This machine does not let a test mount anything."""


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self) -> None:
        """Take all the room that is left."""
        self.fill_but(0)

    def fill_but(self, left_bytes: int) -> None:
        """Take the room but for so many bytes."""
        fd = os.open(self.path / BALLAST, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            while (most := self.free_bytes() - left_bytes) > 0:
                os.write(fd, bytes(min(most, STEP_BYTES)))
        except OSError as error:
            if error.errno != errno.ENOSPC:  # the crawl was faster
                raise
        finally:
            os.close(fd)

    def make_room(self) -> None:
        """Give back what `fill` took."""
        (self.path / BALLAST).unlink(missing_ok=True)

    def free_bytes(self) -> int:
        """What may still be written."""
        found = os.statvfs(self.path)
        return found.f_bavail * found.f_frsize

    def remount(self, option: str) -> None:
        """`ro` or `rw`."""
        _command("mount", "-o", f"remount,{option}", str(self.path))


@contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """A disk that is gone afterwards, whatever happens in the block."""
    folder.mkdir()
    _command("mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "weft-test", str(folder))
    try:
        yield SmallDisk(folder)
    finally:
        _command("umount", "--lazy", str(folder))  # a process that was killed may need a moment to let go of it


def _command(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, check=False)
    if done.returncode:
        raise DiskUnavailable(f"These tests mount small disks, as root, and this machine does not let them: {done}")
