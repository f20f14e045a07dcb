"""A job that dies at a chosen system call: `python -m tests.clean.bulk.folder_dying FOLDER SCRATCH SHAPE ONE_OF`.

Everything that changes the disk is counted. At the chosen one the process is killed: a write is done by half, and
with it goes what was not synced, as in a power cut. Then the job is opened again and runs to its end. The steps are
tried one after the other, or one of some, each on an output of its own, until a job ends without reaching its step.
The processes are forks of this one, so that each need not load everything again.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from tests.clean.bulk.folder_rig import clean_all
from weft.export.parquet import load_pyarrow

COUNTED = ("ftruncate", "fsync", "replace", "unlink")


class Dying:
    """The system's functions, of which the one with this number never returns."""

    def __init__(self, at_step: int) -> None:
        self._left = at_step
        self._pwrite, self._sync = os.pwrite, os.fdatasync
        self._unsynced: list[tuple[int, int, int]] = []  # descriptor, offset, length
        self._safe_bytes: dict[int, int] = {}  # how long each file is for sure
        for name in COUNTED:
            setattr(os, name, self._counted(getattr(os, name)))
        setattr(os, "pwrite", self._dying_pwrite)  # noqa: B010 — typed more widely there
        setattr(os, "fdatasync", self._dying_sync)  # noqa: B010

    def _counted(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            self._step()
            return function(*arguments, **named)

        return call

    def _dying_pwrite(self, fd: int, data: bytes, at: int) -> int:
        self._safe_bytes.setdefault(fd, os.fstat(fd).st_size)
        self._unsynced.append((fd, at, len(data)))
        if self._left == 1:
            self._pwrite(fd, data[: len(data) // 2], at)
        self._step()
        return self._pwrite(fd, data, at)

    def _dying_sync(self, fd: int) -> None:
        self._step()
        self._sync(fd)
        self._unsynced = [one for one in self._unsynced if one[0] != fd]
        self._safe_bytes[fd] = os.fstat(fd).st_size

    def _step(self) -> None:
        self._left -= 1
        if not self._left:
            self._die()

    def _die(self) -> NoReturn:
        for fd, at, length in self._unsynced:
            if at >= self._safe_bytes[fd]:
                os.truncate(f"/proc/self/fd/{fd}", self._safe_bytes[fd])
            else:
                self._pwrite(fd, b"?" * (length // 2), at + length - length // 2)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("nobody outlives that")


def main() -> None:
    """Prints which step was the last one."""
    folder, scratch, shape, one_of = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    load_pyarrow()
    step = 1
    while _dies(folder, _output(scratch, step, shape), step):
        # Again a few steps further on, then to the end.
        _dies(folder, _output(scratch, step, shape), 11)
        if _dies(folder, _output(scratch, step, shape), 0):
            sys.exit(f"step {step}: the job cannot be gone on with")
        step += one_of
    print(step - one_of)


def _output(scratch: Path, step: int, shape: str) -> Path:
    folder = scratch / str(step)
    folder.mkdir(exist_ok=True)
    return folder / f"out.{shape}"


def _dies(folder: Path, out: Path, at_step: int) -> bool:
    """Run the job in a process of its own, unless it is finished already."""
    if out.exists() and not out.with_name(out.name + ".progress").exists():
        return False
    child = os.fork()
    if not child:
        if at_step:
            Dying(at_step)
        try:
            clean_all(folder, out)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return True
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"the job failed in {out.parent}")
    return False


if __name__ == "__main__":
    main()
