"""How long work that is asked to stop may finish what it has in hand."""

from __future__ import annotations

from math import inf
from typing import Final

from weft.clock import Clock

GRACE_S: Final = 10.0


class Grace:
    """Runs from the first stop on. What is not done when it is over is left for another run."""

    def __init__(self, clock: Clock, grace_s: float = GRACE_S) -> None:
        self._clock = clock
        self._grace_s = grace_s
        self._until_s = inf

    def begin(self) -> None:
        """The work was asked to stop; to ask again does not make it longer."""
        self._until_s = min(self._until_s, self._clock.monotonic() + self._grace_s)

    @property
    def is_over(self) -> bool:
        """Whether nothing is waited for any more."""
        return self._clock.monotonic() >= self._until_s
