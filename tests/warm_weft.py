"""`weft` as a fork of a process that has loaded it: loading is most of what a short command costs.

    test ──arguments, folder, environment, streams──▶ loaded process ──fork──▶ keeper ──fork──▶ the command
      ◀────────────────── process id, then exit code ─────────────────────────────┘

The command is a process like any other: in a session of its own, to be killed at any time, and it ends as Python ends.
Only what other variables would make it import, and what is judged by its memory, of which forks share much, must be
started in the usual way (`engine_process.weft_command`).
"""

from __future__ import annotations

import atexit
import functools
import gc
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from importlib import import_module, reload
from pathlib import Path
from typing import Any

import weft.cli
import weft.crash_points
from weft.cli.lazy import COMMANDS

PROGRAM = (
    "import sys, tests.warm_weft; tests.warm_weft.next_command(int(sys.argv[1])); import weft.cli; weft.cli.main()"
)
# What commands import when they run, beside the modules that they are in.
LOADED = ("weft.cli.options", "weft.cli.clean_run", "weft.clean.bulk.tables.job", "rich.progress", "rich.table")
_ORDER_BYTES = 150_000
_ANSWER_BYTES = 20
_STREAMS = ("stdin", "stdout", "stderr")


class WarmWeft:
    """A command that runs, with what `subprocess.Popen` has for it; its output is kept in memory."""

    def __init__(
        self, *arguments: str, environment: dict[str, str], cwd: Path | None = None, stdin: bytes = b""
    ) -> None:
        self.arguments = arguments
        self.returncode: int | Any = None  # as Popen has it
        self._out = self._errors = b""
        self._streams = [os.memfd_create(name) for name in _STREAMS]
        os.pwrite(self._streams[0], stdin, 0)
        self._answers, keeper = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        order = json.dumps([arguments, str(cwd or Path.cwd()), environment]).encode()
        with keeper:
            socket.send_fds(_loaded_process(), [order], [*self._streams, keeper.fileno()])
        self.pid = int(self._answers.recv(_ANSWER_BYTES))

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        try:
            return self._await(0)
        except BlockingIOError:
            return None

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        """What it wrote to its output and as errors, once it has ended."""
        try:
            self._await(timeout)
        except TimeoutError:
            raise subprocess.TimeoutExpired(self.arguments, timeout) from None
        return self._out, self._errors

    def kill(self) -> None:
        """SIGKILL to the command alone."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _await(self, timeout_s: float) -> int:
        if self.returncode is None:
            self._answers.settimeout(timeout_s)
            self.returncode = int(self._answers.recv(_ANSWER_BYTES))
            self._answers.close()
            _, self._out, self._errors = map(_take, self._streams)
        return self.returncode


def _take(descriptor: int) -> bytes:
    """All of a file, which is closed."""
    try:
        return os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    finally:
        os.close(descriptor)


@functools.cache
def _loaded_process() -> socket.socket:
    """The way to the process of which commands are forks: one a test process, which it outlives by nothing."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(there.fileno())],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            pass_fds=[there.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @atexit.register
    def end() -> None:
        here.close()
        process.wait()

    return here


def next_command(descriptor: int) -> None:
    """In the loaded process: wait for orders until the test process is gone. Returns in each command."""
    _load()
    orders = socket.socket(fileno=descriptor)
    keepers: list[int] = []
    while True:
        order, descriptors, _, _ = socket.recv_fds(orders, _ORDER_BYTES, len(_STREAMS) + 1)
        keepers = [pid for pid in keepers if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if not order:
            sys.exit()
        keepers.append(os.fork())
        if keepers[-1] == 0:
            orders.close()
            _fork_and_keep(descriptors.pop())
            _become(order, descriptors)
            return
        for number in descriptors:
            os.close(number)


def _load() -> None:
    """All that commands import; some of it only when one runs, so one that is refused is rehearsed."""
    for module in (*(home.module for home in COMMANDS.values()), *LOADED):
        import_module(module)
    sys.argv = ["-c", "crawl", "no URL"]
    with suppress(SystemExit):
        weft.cli.main()
    gc.freeze()  # forks need not copy it only to look for garbage


def _fork_and_keep(descriptor: int) -> None:
    """Returns in the new process; this one tells how that ends."""
    pid = os.fork()
    if pid == 0:
        os.close(descriptor)
        return
    os.write(descriptor, b"%d" % pid)
    _, status = os.waitpid(pid, 0)
    os.write(descriptor, b"%d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


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
