"""A crawl that things happen to: `weft resume` in processes of their own, and what each of them said."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.cli.running import own_environment
from tests.pipeline.engine_process import ArchiveWatcher, start_weft, weft_command

WITHIN_S = 90.0


class Run:
    """One `weft` command, running or ended."""

    def __init__(self, *arguments: str, preexec: Callable[[], None] | None = None, crash_at: str = "") -> None:
        environment = own_environment() | ({"WEFT_CRASH_AT": crash_at} if crash_at else {})
        if preexec is None:
            self._popen = start_weft(*arguments, environment=environment)
        else:
            self._popen = subprocess.Popen(
                weft_command(*arguments),
                env=environment,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                preexec_fn=preexec,
            )
        self.pid = self._popen.pid
        self.code: int | None = None
        self.out = ""
        self.errors = ""

    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._popen.poll() is not None

    def wait(self) -> int:
        """The exit code, once it has ended."""
        try:
            out, errors = self._popen.communicate(timeout=WITHIN_S)
            self.out, self.errors = out.decode(), errors.decode()
        finally:
            self.kill()
        self.code = self._popen.returncode
        return self.code

    def kill(self) -> None:
        """SIGKILL to it and its workers, if it still runs."""
        if self._popen.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)
            self._popen.communicate(timeout=WITHIN_S)

    def sentence(self) -> str:
        """The one line that it said on stderr: no traceback, nothing else."""
        assert self.out == "", self.out
        (line,) = self.errors.splitlines() or ["nothing was said"]
        assert line.startswith("weft: "), self.errors
        return line


def weft(*arguments: str, preexec: Callable[[], None] | None = None) -> Run:
    """A command that has ended."""
    run = Run(*arguments, preexec=preexec)
    run.wait()
    return run


@contextmanager
def resuming(folder: Path, *flags: str, preexec: Callable[[], None] | None = None, crash_at: str = "") -> Iterator[Run]:
    """`weft resume` that does not outlive the block."""
    run = Run("resume", str(folder), "--quiet", *flags, preexec=preexec, crash_at=crash_at)
    try:
        yield run
    finally:
        run.kill()


def is_killed_at(folder: Path, crash_point: str) -> bool:
    """Whether `weft resume` came to a crash point; if not, it has ended."""
    with resuming(folder, crash_at=crash_point) as run:
        return run.wait() == -signal.SIGKILL


def wait_for_writes(folder: Path, run: Run, writes: int) -> bool:
    """Until the archive has grown so many times; False when the run was over before."""
    return ArchiveWatcher(folder).wait_for_writes(writes, run.is_over)
