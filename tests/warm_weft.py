"""`weft` as a fork of a process that has loaded it (`warm_process`), in a session of its own.

Only what other variables would make it import, and what is judged by its memory, of which forks share much, must be
started in the usual way (`engine_process.weft_command`).
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module, reload
from pathlib import Path
from typing import Any

import weft.cli
import weft.crash_points
from tests import warm_children
from tests.warm_process import WarmProcess, next_order
from weft.cli.lazy import COMMANDS
from weft.workers.nursery import NO_FORKS, open_nursery
from weft.workers.process import GROUP_SIGNALS

PROGRAM = (
    "import sys, tests.warm_weft; tests.warm_weft.next_command(int(sys.argv[1])); import weft.cli; weft.cli.main()"
    + " " * 200  # room for what the forks of forks are shown as in /proc
)
NURSERY = (
    "import sys, tests.warm_weft as warm; told = sys.argv[1:]; warm.load(); warm.warm_children.serve(*map(int, told))"
    + " " * 200
)
START_OTHERS = ("clean", "crawl", "demo", "export", "extract", "mirror", "node", "repair", "resume")
# Both are refused, once they have imported what the modules of the commands do not.
REHEARSED = (("crawl", "no URL"), ("clean", "/absent.db", "/absent.db"))
_STREAMS = ("stdin", "stdout", "stderr")


class WarmWeft(WarmProcess):
    """A command that runs, with what `subprocess.Popen` has for it; its output is kept in memory."""

    def __init__(
        self, *arguments: str, environment: dict[str, str], cwd: Path | None = None, stdin: bytes = b""
    ) -> None:
        self.arguments = arguments
        self._out = self._errors = b""
        self._streams = [os.memfd_create(name) for name in _STREAMS]
        os.pwrite(self._streams[0], stdin, 0)
        order = json.dumps([arguments, str(cwd or Path.cwd()), environment]).encode()
        super().__init__(PROGRAM, order, self._streams)

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        """What it wrote to its output and as errors, once it has ended."""
        try:
            self.wait(timeout)
        except subprocess.TimeoutExpired:
            raise subprocess.TimeoutExpired(self.arguments, timeout) from None
        return self._out, self._errors

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        has_ended = self.returncode is not None
        code = super().wait(timeout)
        if not has_ended:
            _, self._out, self._errors = map(_take, self._streams)
        return code


class _Program(warm_children.WarmChild):
    """A child of the test, from a nursery that has loaded all that commands import."""


def start_program(arguments: list[str], **how: Any) -> subprocess.Popen[str]:
    """`python -c …`, and so `weft_command`, as Popen with `text=True`: its streams may be pipes."""
    if any(signal.getsignal(number) is signal.SIG_IGN for number in GROUP_SIGNALS):  # as children are to inherit it
        return subprocess.Popen(arguments, text=True, **how)
    if "nursery" not in vars(_Program):  # of its own
        _Program.nursery = warm_children.start_nursery(NURSERY)
    return _Program(arguments, text=True, **how)  # type: ignore[return-value]


def _take(descriptor: int) -> bytes:
    """All of a file, which is closed."""
    try:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


def next_command(descriptor: int) -> None:
    """In the loaded process: wait for orders until the test process is gone. Returns in each command."""
    load()
    _become(*next_order(descriptor, len(_STREAMS)))


def load() -> None:
    """All that commands import; some of it only when one runs."""
    for home in COMMANDS.values():
        import_module(home.module)
    warm_children.load()
    os.environ[NO_FORKS] = "1"  # a nursery of this process is of no use to its forks
    for arguments in REHEARSED:
        sys.argv = ["-c", *arguments]
        with suppress(SystemExit):
            weft.cli.main()
    gc.freeze()  # forks need not copy it only to look for garbage


def _become(order: bytes, streams: list[int]) -> None:
    arguments, folder, environment = json.loads(order)
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    reload(weft.crash_points)  # what it is to die at is read from the environment, once
    sys.argv = ["-c", *arguments]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if arguments and arguments[0] in START_OTHERS:
        open_nursery()
