"""Processes that weft starts: by exec, or as forks of a `nursery`. They end with the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Protocol

PR_SET_PDEATHSIG = 1
WORKER_NICENESS = 5
END_PATIENCE_S = 5.0

# What a terminal, or whoever ends a group of processes, sends to all of it: for the one that started them to obey.
GROUP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Child(Protocol):
    """A process that was started: what weft asks of a `subprocess.Popen`."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


start_process: Callable[..., Child] = subprocess.Popen  # a nursery has a quicker way


def start_child(
    module: str, output: IO[bytes] | int | None = None, shared: Sequence[int] = ()
) -> tuple[Child, socket.socket]:
    """Start `python -m MODULE SOCKET PID SHARED…`; returns it with our end of the socket. PID is this process.

    It gets the descriptors in `shared`, too. Without `output`, what it says on stderr goes where ours goes. This takes
    some milliseconds of an event loop.
    """
    ours, theirs = socket.socketpair()
    # A child that is still starting must not fall to Ctrl-C: it begins deaf, until `end_with` says so for good.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, GROUP_SIGNALS)
    try:
        process = start_process(
            [sys.executable, "-m", module, str(theirs.fileno()), str(os.getpid()), *map(str, shared)],
            pass_fds=[theirs.fileno(), *shared],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL if output is None else output,
            stderr=output,
            # A user's own modules must be found there as they are here.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)},
        )
    except OSError:
        ours.close()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        theirs.close()
    return process, ours


def end(process: Child) -> int:
    """Wait for a process that was told to end; one that does not is killed. Returns its exit code."""
    with suppress(subprocess.TimeoutExpired):
        return process.wait(END_PATIENCE_S)
    process.kill()
    return process.wait()


def begin_worker() -> socket.socket:
    """In a child: its end of the socket."""
    end_with(int(sys.argv[2]))
    os.nice(WORKER_NICENESS)
    return socket.socket(fileno=int(sys.argv[1]))


def end_with(parent_pid: int) -> None:
    """In a child: end when the other process does, and for no signal that is meant for that one."""
    for number in GROUP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, GROUP_SIGNALS)
    die_with(parent_pid)


def die_with(parent_pid: int) -> None:
    """In a child: be killed when the other process ends, also as the program that it may become by exec."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        sys.exit("the process that wanted this one is gone")
