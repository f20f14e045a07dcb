"""A disk of a few megabytes, in memory, that a test may fill, empty and make read-only.

It is mounted in a mount namespace, which an ordinary user may make as well (with a user namespace around it), and is
reached from outside through the root folder of the process that keeps the namespace. It is gone with that process.
"""

from __future__ import annotations

import errno
import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

import pytest

BALLAST = "ballast"
STEP_BYTES = 64 * 1024
DONE = "done:"


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, keeper: _Keeper, mounted_at: Path) -> None:
        self.path = keeper.root / mounted_at.relative_to("/")
        self._keeper = keeper
        self._mounted_at = mounted_at

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
        self._keeper.do("mount", "-o", f"remount,bind,{option}", str(self._mounted_at))


@contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[SmallDisk]:
    """A disk that is gone afterwards, whatever happens in the block."""
    folder.mkdir()
    with _Keeper() as keeper:
        keeper.do("mount", "-t", "tmpfs", "-o", f"size={size_bytes}", "weft-test", str(folder))
        yield SmallDisk(keeper, folder)


class _Keeper:
    """A shell in a mount namespace of its own."""

    def __init__(self) -> None:
        own_user = [] if os.geteuid() == 0 else ["--map-root-user"]
        self._shell = subprocess.Popen(
            ["unshare", "--mount", *own_user, "sh"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.root = Path(f"/proc/{self._shell.pid}/root")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._shell.kill()
        self._shell.communicate()

    def do(self, *words: str) -> None:
        """Run a command; the test is skipped where the machine does not allow it."""
        assert self._shell.stdin is not None
        assert self._shell.stdout is not None
        with suppress(BrokenPipeError):  # it could not begin: what it said about that is still to be read
            self._shell.stdin.write(f"{shlex.join(words)}; echo {DONE} $?\n")
            self._shell.stdin.flush()
        said = ""
        for line in self._shell.stdout:
            if line.startswith(DONE):
                if line.split() == [DONE, "0"]:
                    return
                break
            said += line
        pytest.skip(f"no small disk can be mounted here, not even in a namespace: {said.strip()}")
