"""How long a piece of foreign code may take: an exception is raised in it, wherever it is.

Time is counted in ticks of a timer that interrupts the main thread, and not by the clock: a machine that stood still is
no fault of the code's. A tick reaches Python code and what waits in the system, `time.sleep` and regular expressions
included. Code in C that does not look up is ended with its process, by whoever waits for its answer.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # as in `kept_state`
import os
import signal
from collections.abc import Callable
from math import ceil
from types import FrameType
from typing import Final

TICK_S: Final = 0.25
LIFE_S: Final = 10.0  # between two signs of life
AGAIN_S: Final = 0.5  # until it is raised again in code that has caught it
MOST_RAISED: Final = 5  # that often, and then the process ends
EXIT_DEAF: Final = 70


class TookTooLong(BaseException):
    """The time is over. No Exception: code that catches those must not catch this."""


class TimeBound:
    """`begin` and `end` stand around foreign code, in the main thread. `on_tick` is called with each tick meanwhile."""

    def __init__(self, limit_s: float, show_life: Callable[[], None], on_tick: Callable[[], None]) -> None:
        self._limit_s = limit_s
        self._show_life = show_life
        self._on_tick = on_tick
        self._tick_s = min(TICK_S, limit_s)
        self._ticks = 0
        self._last_tick = 0  # at which it is raised
        self._raised = 0
        self._is_inside = False
        self._handler = self._tick  # one object, to be known again

    def begin(self) -> None:
        """The time begins."""
        self._ticks = self._raised = 0
        self._last_tick = ceil(self._limit_s / self._tick_s)
        if _signal.getsignal(signal.SIGALRM) is not self._handler:
            signal.signal(signal.SIGALRM, self._handler)
        self._is_inside = True
        signal.setitimer(signal.ITIMER_REAL, self._tick_s, self._tick_s)

    def leave(self) -> None:
        """The code has ended: nothing is raised any more."""
        self._is_inside = False

    def end(self) -> None:
        """The timer is stopped."""
        self._is_inside = False
        signal.setitimer(signal.ITIMER_REAL, 0.0)

    def _tick(self, number: int, frame: FrameType | None) -> None:
        if not self._is_inside:
            return
        self._ticks += 1
        self._is_inside = False  # what is ours is not interrupted by the next tick
        self._on_tick()
        if self._ticks % ceil(LIFE_S / self._tick_s) == 0:
            self._show_life()
        self._is_inside = True
        if self._ticks < self._last_tick:
            return
        self._raised += 1
        if self._raised > MOST_RAISED:
            os._exit(EXIT_DEAF)
        self._last_tick = self._ticks + ceil(AGAIN_S / self._tick_s)
        raise TookTooLong(f"it took longer than {self._limit_s:g} s")
