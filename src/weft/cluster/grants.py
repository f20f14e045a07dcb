"""`--max-pages` of a cluster: each life is granted pages in blocks, and gives back what it cannot use.

Of a life that is over, what it did not report as used returns to the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from weft.cluster.members import Member
from weft.cluster.shared import AWAY, Changed, Grants, Shared
from weft.cluster.table import Table
from weft.pipeline.context import Context

LOOK_EVERY_S: Final = 0.2
BLOCKS_PER_NODE: Final = 4  # in what is left: so that all come to the end at about the same time


class PageGrants:
    """The limits of a run, as far as they are granted to it."""

    def __init__(self, max_pages: int | None, shared: Shared, context: Context) -> None:
        self._max_pages = max_pages
        self._shared = shared
        self._context = context
        self._before = context.counters.pages
        self._granted = 0
        self.is_waiting = False  # for more
        self.is_over = False  # the crawl has ended by a limit
        self.is_idle: Callable[[], bool] = lambda: False  # whether nothing is left to do here

    @property
    def _used(self) -> int:
        return self._context.counters.pages - self._before

    def is_near(self, under_way: int) -> bool:
        """Whether what is under way may be all that was granted."""
        if self._max_pages is None:
            return False
        self.is_waiting = self._used + under_way >= self._granted
        return self.is_waiting

    def is_reached(self) -> bool:
        """Whether the crawl has ended by a limit."""
        return self.is_over

    async def keep(self, life: str, living: Callable[[], Mapping[str, Member]]) -> None:
        """Ask for more when it is needed; give back what is not."""
        while self._max_pages is not None:
            await asyncio.sleep(LOOK_EVERY_S)
            try:
                if self.is_idle() and self._granted > self._used:
                    await self._change(life, lambda left, granted: self._used - granted)
                elif self.is_waiting:
                    await self._change(life, lambda left, granted: _block(left, len(living())))
            except (Changed, *AWAY):
                continue

    async def _change(self, life: str, by: Callable[[int, int], int]) -> None:
        revision, grants = await self._shared.grants()
        granted = grants.given.get(life, 0)  # more or less than is known here, if an acknowledgement was lost
        if pages := by(grants.left, granted):
            given = {**grants.given, life: granted + pages}
            await self._shared.write_grants(Grants(grants.left - pages, given), revision)
        if granted + pages != self._granted:
            self._granted = granted + pages
            self.is_waiting = False  # until it is near again
            self._context.loop.pump_soon()

    async def take_back(self, over: Iterable[Member]) -> None:
        """What lives that are over had not used returns. Changed if somebody else has written meanwhile."""
        if self._max_pages is None:
            return
        revision, grants = await self._shared.grants()
        used = {one.life: one.used for one in over if one.life in grants.given}
        if used:
            given = {life: pages for life, pages in grants.given.items() if life not in used}
            left = grants.left + sum(max(0, grants.given[life] - pages) for life, pages in used.items())
            await self._shared.write_grants(Grants(left, given), revision)

    async def are_used_up(self, living: Mapping[str, Member], table: Table, max_bytes: int | None) -> bool:
        """Whether the crawl ends by a limit."""
        if table.deadline and self._context.clock.wall() >= table.deadline:
            return True
        if max_bytes is not None and sum(one.counts.bytes for one in living.values()) >= max_bytes:
            return True
        if self._max_pages is None or not all(one.is_at_limit or one.is_idle for one in living.values()):
            return False
        _, grants = await self._shared.grants()
        lives = {one.life: one for one in living.values()}
        unused = sum(pages - lives[life].used for life, pages in grants.given.items() if life in lives)
        return not grants.left and unused <= 0 and grants.given.keys() <= lives.keys()


def _block(left: int, nodes: int) -> int:
    return min(left, max(1, left // (BLOCKS_PER_NODE * max(1, nodes))))
