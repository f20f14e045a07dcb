"""Processes that weft starts: by exec, never fork, and they end with the one that started them, however it ends."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import IO

PR_SET_PDEATHSIG = 1
WORKER_NICENESS = 5

Stream = IO[bytes] | int


def start_child(
    module: str,
    *arguments: str,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream,
    stderr: Stream | None = None,
    descriptors: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Start `python -m MODULE ARGUMENTS… PID`, with the number of this process behind them."""
    return subprocess.Popen(
        [sys.executable, "-m", module, *arguments, str(os.getpid())],
        pass_fds=descriptors,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        bufsize=0,
        # A user's own modules must be found there as they are here.
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
    )


def begin_worker() -> socket.socket:
    """In a child that was started with a socket's number: the socket. Signals are for who started it."""
    end_with(int(sys.argv[2]))
    os.nice(WORKER_NICENESS)
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group
        signal.signal(number, signal.SIG_IGN)
    return socket.socket(fileno=int(sys.argv[1]))


def end_with(parent_pid: int) -> None:
    """In a child: ask the kernel to end this process when the other one does."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        sys.exit("the process that wanted this one is gone")
