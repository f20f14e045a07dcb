"""What the first living node by name does for all: it writes the table, and finds out when the crawl is over."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from weft.cluster.ending import Ending
from weft.cluster.events import Probe, to_bytes
from weft.cluster.grants import PageGrants
from weft.cluster.log import END, STREAMS, Log
from weft.cluster.members import Members
from weft.cluster.shared import Changed, Settings, Shared
from weft.cluster.table import Table, next_window_s, with_owners


class Conductor:
    """Every node has one; that of the first node is asked to conduct."""

    def __init__(
        self,
        life: str,
        settings: Settings,
        log: Log,
        shared: Shared,
        members: Members,
        grants: PageGrants,
        now_s: Callable[[], float],
    ) -> None:
        self._life = life
        self._settings = settings
        self._log = log
        self._shared = shared
        self._members = members
        self._grants = grants
        self._now_s = now_s
        self._ending = Ending(life, settings.buckets)
        self._ends: tuple[Sequence[int], float] = ((), 0.0)  # of the streams, and when that was

    async def bury(self, own: str) -> None:
        """Write of nodes that have been silent for too long that their lives are over."""
        for name, one in self._members.silent(self._now_s()):
            if name != own:
                try:
                    await self._shared.write_member(
                        name, msgspec.structs.replace(one.member, is_over=True), one.revision
                    )
                except Changed:
                    continue
                self._members.see(await self._shared.members(), self._now_s())

    async def conduct(self, revision: int, table: Table, ends: Sequence[int]) -> Table:
        """The first node by name: who shall own what, how often all is told, and whether it is all over."""
        if table.finished or table.stopped:
            return table
        with suppress(Changed):  # then the next look does so
            await self._grants.take_back(self._members.over())
        wanted = with_owners(table, self._members.living())
        wanted = msgspec.structs.replace(wanted, window_s=next_window_s(table, self._messages_per_s(ends)))
        if (ended := await self._how_ended(table)) and not wanted.finished:
            wanted = msgspec.structs.replace(wanted, finished=ended)
        if wanted == table:
            return table
        try:
            wanted = msgspec.structs.replace(wanted, epoch=table.epoch + 1)
            await self._shared.write_table(wanted, revision)
        except Changed:
            return table
        return wanted

    def _messages_per_s(self, ends: Sequence[int]) -> float:
        """Of the busiest stream, since it was last looked at."""
        now_s = self._now_s()
        (before, at_s), self._ends = self._ends, (ends, now_s)
        return max(map(operator.sub, ends, before)) / max(now_s - at_s, 0.001) if before else 0.0

    async def _how_ended(self, table: Table) -> str:
        living = self._members.living()
        if await self._grants.are_used_up(living, table, self._settings.config.max_bytes):
            return "limit"
        number = self._ending.wants_probe(living)
        if number is None:
            return ""
        data = to_bytes(Probe(self._life, number))
        places = [await self._log.publish(stream, END, data) for stream in range(STREAMS)]
        return "done" if self._ending.sent(number, places) else ""
