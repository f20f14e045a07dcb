"""The bounds within which a user's function is called in a worker: time, memory, and what it may leave changed."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from weft.workers.kept_state import KeptState
from weft.workers.memory_bound import MemoryBound
from weft.workers.process import die_with
from weft.workers.time_bound import TimeBound
from weft.workers.worker_process import EXIT_RETIRED


class FunctionBounds:
    """Made once a worker, in its main thread, when the functions are loaded."""

    def __init__(self, time_s: float, memory_bytes: int, show_life: Callable[[], None]) -> None:
        self._state = KeptState()
        self._memory = MemoryBound(memory_bytes)
        self._time = TimeBound(time_s, show_life, self._state.bound_log)

    def begin(self) -> None:
        """A function is called next."""
        self._state.bound_log()
        self._memory.begin()
        self._time.begin()

    def leave(self) -> None:
        """It has ended, one way or another: from here on weft's own code runs."""
        self._time.leave()

    def end(self) -> None:
        """All is as before the call."""
        self._time.end()
        self._memory.end()
        self._state.restore()

    def tell(self, text: str) -> None:
        """Write to the workers' log."""
        self._state.tell(text)

    def has_grown(self) -> bool:
        """Whether the worker should make room for another: functions keep more than they may."""
        return self._memory.is_over()

    def retire(self) -> NoReturn:
        """End the worker, between two pages; its engine starts another."""
        self.tell("the functions keep more memory than they may: another worker goes on")
        os._exit(EXIT_RETIRED)


def guard_forks(socket: int) -> None:
    """What a function forks must not hold the engine's socket, whose end tells of this worker's, nor outlive it."""
    worker = os.getpid()

    def leave_alone() -> None:
        with suppress(OSError):
            os.close(socket)
        try:
            die_with(worker)
        except SystemExit:  # the worker is gone already
            os._exit(0)

    os.register_at_fork(after_in_child=leave_alone)
