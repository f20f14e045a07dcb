"""`--max-pages` of several engines: each is granted pages in blocks, and gives back what it cannot use. Pure.

Of `--max-bytes` nothing is granted: each engine sees how many all have received (`received`).

`Pot` is engine 0's side, `Granted` each engine's: the engine's `Limits`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from weft.stats import Counters

BLOCKS_PER_ENGINE: Final = 4  # in what is left: so that all come to the end at about the same time


class Pot:
    """What may still be granted; None: there is no limit."""

    def __init__(self, pages: int | None, engines: int) -> None:
        self.left = pages
        self.given = [0] * engines
        self._wanting: list[int] = []  # engines that got nothing, the first one first; bound: engines

    def ask(self, engine: int) -> int:
        """An engine wants more: as many as it gets now."""
        if not self.left:
            if engine not in self._wanting:
                self._wanting.append(engine)
            return 0
        pages = max(1, self.left // (BLOCKS_PER_ENGINE * len(self.given)))
        self.left -= pages
        self.given[engine] += pages
        return pages

    def give_back(self, engine: int, pages: int) -> list[tuple[int, int]]:
        """An engine does not need these: who gets how many instead."""
        assert self.left is not None
        self.left += pages
        self.given[engine] -= pages
        wanting, self._wanting = self._wanting, []
        granted = [(one, self.ask(one)) for one in wanting]
        return [(one, more) for one, more in granted if more]


class Granted:
    """What one engine may fetch."""

    def __init__(
        self,
        counters: Counters,
        *,
        has_limit: bool,
        ask: Callable[[], None],
        max_bytes: int | None = None,
        received: Callable[[int], int] = int,
    ) -> None:
        self._counters = counters
        self._max_bytes = max_bytes
        self._received = received  # told what this engine has, says what all have
        received(counters.bytes)  # of earlier runs: the others must know before they begin
        self._has_limit = has_limit
        self._ask = ask  # for more
        self._before = counters.pages
        self._granted = 0
        self._is_near = False
        self._under_way = 0
        self.wants = False
        self.is_over = False  # the crawl has ended by a limit

    @property
    def used(self) -> int:
        """Of the pages granted."""
        return self._counters.pages - self._before if self._has_limit else 0

    @property
    def is_at_limit(self) -> bool:
        """Whether nothing is under way, and nothing may begin."""
        return self._is_near and not self._under_way and self.used >= self._granted

    def is_near(self, under_way: int) -> bool:
        """Whether what is under way may be all that was granted."""
        if self.is_over:
            return True
        if self._max_bytes is not None and self._received(self._counters.bytes) >= self._max_bytes:
            return True
        if not self._has_limit:
            return False
        self._under_way = under_way
        self._is_near = self.used + under_way >= self._granted
        if self._is_near and not self.wants:
            self.wants = True
            self._ask()
        return self._is_near

    def is_reached(self) -> bool:
        """Whether the crawl has ended by a limit."""
        return self.is_over

    def more(self, pages: int) -> None:
        """These may be fetched, too."""
        self._granted += pages
        self.wants = False
        self._is_near = False  # until it is asked again

    def give_back(self) -> int:
        """Nothing is left to do: how many pages somebody else may fetch instead."""
        unused = max(0, self._granted - self.used) if self._has_limit else 0
        self._granted -= unused
        return unused
