"""Processes that are forks of one that has loaded what they run: loading is most of what a short one costs.

    test ──an order, streams──▶ loaded process ──fork──▶ keeper ──fork──▶ the process
      ◀────────────── process id, then exit code ───────────┘

A fork is a process like any other: it can be killed at any time, and ends as Python ends.
"""

from __future__ import annotations

import atexit
import functools
import os
import signal
import socket
import subprocess
import sys
from typing import Any

_ORDER_BYTES = 150_000
_ANSWER_BYTES = 20


class WarmProcess:
    """A fork that runs, with what `subprocess.Popen` has for it. The streams are its to close."""

    def __init__(self, program: str, order: bytes, streams: list[int]) -> None:
        self.returncode: int | Any = None  # as Popen has it
        self._answers, keeper = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with keeper:
            socket.send_fds(_loaded_process(program), [order], [*streams, keeper.fileno()])
        self.pid = int(self._answers.recv(_ANSWER_BYTES))

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        if self.returncode is None:
            self._answers.settimeout(timeout)
            try:
                self.returncode = int(self._answers.recv(_ANSWER_BYTES))
            except (BlockingIOError, TimeoutError):
                raise subprocess.TimeoutExpired("a fork", timeout or 0.0) from None
            self._answers.close()
        return int(self.returncode)

    def kill(self) -> None:
        """SIGKILL to the process alone."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


@functools.cache
def _loaded_process(program: str) -> socket.socket:
    """The way to the process that runs the program: one a test process, which it outlives by nothing."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(there.fileno())],
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


def next_order(descriptor: int, streams: int) -> tuple[bytes, list[int]]:
    """In the loaded process: wait for orders until the test process is gone. Returns in each fork, with its own."""
    orders = socket.socket(fileno=descriptor)
    keepers: list[int] = []
    while True:
        order, descriptors, _, _ = socket.recv_fds(orders, _ORDER_BYTES, streams + 1)
        keepers = [pid for pid in keepers if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if not order:
            sys.exit()
        keepers.append(os.fork())
        if keepers[-1] == 0:
            orders.close()
            _fork_and_keep(descriptors.pop(), descriptors)
            return order, descriptors
        for number in descriptors:
            os.close(number)


def _fork_and_keep(descriptor: int, streams: list[int]) -> None:
    """Returns in the new process; this one tells how that ends, and until the test has read so, its number is kept.

    As with Popen: a test that has not seen the end may still send a signal.
    """
    pid = os.fork()
    if pid == 0:
        os.close(descriptor)
        return
    for stream in streams:
        os.close(stream)
    with socket.socket(fileno=descriptor) as test:
        test.send(b"%d" % pid)
        end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert end is not None
        test.send(b"%d" % (end.si_status if end.si_code == os.CLD_EXITED else -end.si_status))
        test.recv(1)  # nothing, once the other side is closed
    os.waitpid(pid, 0)
    os._exit(0)
