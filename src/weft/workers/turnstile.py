"""A semaphore whose size can change while it is in use, and which knows how busy it was."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

from weft.clock import Clock


class Turnstile:
    """Lets at most `size` through at once, the others in the order in which they came: `async with turnstile:`."""

    def __init__(self, size: int, clock: Clock) -> None:
        self._size = size
        self._clock = clock
        self.inside = 0
        self.passed = 0  # left again, since the start
        # Who waits to be let in. Filled by __aenter__, emptied by _let_in; bound: the frontier's look-ups at once.
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._idle_s = 0.0  # places × seconds for which nobody came, up to _counted_at
        self._counted_at = clock.monotonic()

    @property
    def size(self) -> int:
        """How many may be inside at once."""
        return self._size

    @property
    def waiting(self) -> int:
        """How many stand before it."""
        return len(self._waiting)

    def resize(self, size: int) -> None:
        """Let more in from now on, or fewer; those inside stay as long as they want."""
        self._count_idle_time()
        self._size = size
        self._let_in()

    def idle_s(self) -> float:
        """Places × seconds, since the start, for which nobody came."""
        self._count_idle_time()
        return self._idle_s

    async def __aenter__(self) -> None:
        self._count_idle_time()
        if self.inside < self._size and not self._waiting:
            self.inside += 1
            return
        admitted = asyncio.get_running_loop().create_future()
        self._waiting.append(admitted)
        try:
            await admitted
        except asyncio.CancelledError:
            if admitted.done() and not admitted.cancelled():  # let in, and cancelled before it knew
                self._leave()
            elif admitted in self._waiting:
                self._waiting.remove(admitted)
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.passed += 1
        self._leave()

    def _leave(self) -> None:
        self._count_idle_time()
        self.inside -= 1
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self.inside < self._size:
            admitted = self._waiting.popleft()
            if not admitted.done():
                self.inside += 1
                admitted.set_result(None)

    def _count_idle_time(self) -> None:
        now = self._clock.monotonic()
        self._idle_s += max(0, self._size - self.inside) * (now - self._counted_at)
        self._counted_at = now
