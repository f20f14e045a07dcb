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

# What a terminal, or whoever ends a group of processes, sends to all of it: for the one that started them to obey.
GROUP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

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
    # A child that is still starting must not fall to Ctrl-C: it begins deaf, until `end_with` says so for good.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
    try:
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
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def begin_worker() -> socket.socket:
    """In a child that was started with a socket's number: the socket."""
    end_with(int(sys.argv[2]))
    os.nice(WORKER_NICENESS)
    return socket.socket(fileno=int(sys.argv[1]))


def end_with(parent_pid: int) -> None:
    """In a child: end when the other process does, and for no signal that is meant for that one."""
    for number in GROUP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, GROUP_SIGNALS)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        sys.exit("the process that wanted this one is gone")
