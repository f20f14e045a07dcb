"""Ctrl-C and its kin.

The first signal finishes what is under way, the second stops at once; both leave a state that resumes. The exit
code is the one that shells give: 128 and the number of the first signal.
"""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import sys
from typing import Protocol

from weft.cli.exits import Exit
from weft.cli.log import say
from weft.workers.grace import GRACE_S

_EXITS = {
    signal.SIGINT: Exit.INTERRUPTED,
    signal.SIGTERM: Exit.TERMINATED,
    signal.SIGHUP: Exit.HUNG_UP,
}


def is_heeded(number: signal.Signals) -> bool:
    """Whether a signal ends work, though it was ignored when we were started.

    `nohup` wants SIGHUP to be ignored. SIGINT is ignored in what a script starts in the background, but who sends it to
    such a process means it.
    """
    return number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN


class Stoppable(Protocol):
    """Work that can be asked to come to an end: a crawl, a cleaning."""

    def stop(self) -> None:
        """Finish what is under way, and begin nothing more."""


class StopSignals:
    """Ends work when it is asked to."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._first: signal.Signals | None = None

    @property
    def received(self) -> Exit | None:
        """The code of the first signal, whether or not it ended the work; None if none came."""
        return _EXITS[self._first] if self._first is not None else None

    @property
    def exit_code(self) -> Exit:
        """The code of work that a signal ended."""
        return self.received or Exit.INTERRUPTED

    def attach(self, work: Stoppable) -> None:
        """From now on signals go to the work, and to the running task, which does it."""
        task = asyncio.current_task()
        assert task is not None
        for number in _EXITS:
            if is_heeded(number):
                asyncio.get_running_loop().add_signal_handler(number, self._receive, number, work, task)

    def _receive(self, number: signal.Signals, work: Stoppable, task: asyncio.Task[object]) -> None:
        if self._first is not None:
            task.cancel()
            return
        self._first = number
        if number is signal.SIGHUP:
            _let_go_of_a_dead_terminal()
        if not self._quiet:
            if sys.stderr.isatty():
                print(file=sys.stderr)  # it shows ^C
            say(f"finishing what is under way, for {GRACE_S:.0f} s at most; press Ctrl-C again to stop at once")
        work.stop()


def _let_go_of_a_dead_terminal() -> None:
    """Where a terminal was closed, writing to it is an error: what is still to be said goes nowhere."""
    for stream in (sys.stdout, sys.stderr):
        descriptor = stream.fileno()
        if stat.S_ISCHR(os.fstat(descriptor).st_mode) and not os.isatty(descriptor):
            os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
