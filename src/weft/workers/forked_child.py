"""A child of this process that another one has forked for it (`nursery`)."""

from __future__ import annotations

import os
import select
import signal
import subprocess
from contextlib import suppress
from threading import Lock
from weakref import finalize


class ForkedChild:
    """What `subprocess.Popen` is to who starts a worker, for a process of which only the id is known."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        try:
            self._descriptor = os.pidfd_open(pid)  # means this process also when another one has its id
        except OSError:  # no descriptor is to be had
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        finalize(self, os.close, self._descriptor)
        self._code: int | None = None
        self._lock = Lock()  # one thread may wait while another one asks

    def poll(self) -> int | None:
        """Its exit code, if it has ended; of a signal, the number below zero."""
        with self._lock:
            if self._code is None:
                try:
                    ended, status = os.waitpid(self.pid, os.WNOHANG)
                except ChildProcessError:  # other code has waited for whatever ends: how it ended is lost
                    ended, status = self.pid, 0
                if ended:
                    self._code = os.waitstatus_to_exitcode(status)
            return self._code

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code, once it has ended. TimeoutExpired if that takes longer than so many seconds."""
        while (code := self.poll()) is None:
            end = select.poll()
            end.register(self._descriptor, select.POLLIN)
            if not end.poll(None if timeout is None else 1000 * timeout):
                assert timeout is not None
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return code

    def terminate(self) -> None:
        """Ask it to end."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):  # it has ended
            signal.pidfd_send_signal(self._descriptor, number)
