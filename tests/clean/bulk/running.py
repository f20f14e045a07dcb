"""`weft clean` in a process group of its own, which a test may kill."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.pipeline.engine_process import children_of, start_weft, weft_environment

WITHIN_S = 120.0


class CleanProcess:
    """The command, and its workers."""

    def __init__(self, *arguments: str, environment: dict[str, str] | None, is_forked: bool) -> None:
        own = weft_environment() | (environment or {})
        self.popen = start_weft("clean", *arguments, "--json", environment=own, is_forked=is_forked)
        self.pid = self.popen.pid

    def is_running(self) -> bool:
        return self.popen.poll() is None

    def worker_pids(self) -> list[int]:
        """The workers that have begun: they are nicer than who started them. Several that end before end it all."""
        return [pid for pid in children_of(self.pid) if _niceness(pid) > _niceness(self.pid)]

    def kill(self) -> None:
        """SIGKILL to the command alone."""
        self.popen.kill()
        self.popen.communicate(timeout=WITHIN_S)

    def kill_group(self) -> None:
        """SIGKILL to the command and all its workers at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.popen.communicate(timeout=WITHIN_S)

    def wait(self, within_s: float = WITHIN_S) -> dict[str, Any]:
        """The summary, once it has ended well."""
        out, errors = self.popen.communicate(timeout=within_s)
        assert self.popen.returncode == 0, errors.decode()
        summary = json.loads(out.splitlines()[-1])
        assert isinstance(summary, dict)
        return summary


def _niceness(pid: int) -> int:
    try:
        return os.getpriority(os.PRIO_PROCESS, pid)
    except ProcessLookupError:
        return -100


@contextmanager
def cleaning(
    *arguments: str, environment: dict[str, str] | None = None, is_forked: bool = True
) -> Iterator[CleanProcess]:
    """The command, which does not outlive the block."""
    process = CleanProcess(*arguments, environment=environment, is_forked=is_forked)
    try:
        yield process
    finally:
        process.kill_group()
