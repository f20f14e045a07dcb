"""Buckets taken and given up, as the table wants it. Only the log says who owns one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Final

from weft.cluster.deeds import Deeds
from weft.cluster.events import Claim, Entries, LogDamaged, Release, entry_parts, from_bytes
from weft.cluster.holdings import Held, Holding, Stage
from weft.cluster.lease import Lease
from weft.cluster.log import STREAMS, Log, Message, deeds
from weft.cluster.members import Members
from weft.cluster.publisher import Publisher
from weft.cluster.view import Rows
from weft.crash_points import crash_point

TAKEN_AT_ONCE: Final = 64


class Taking:
    """The buckets of one life."""

    def __init__(
        self,
        log: Log,
        own_deeds: Deeds,
        held: Held,
        rows: Rows,
        publisher: Publisher,
        members: Members,
        lease: Lease,
        pump: Callable[[], None],
    ) -> None:
        self._log = log
        self._deeds = own_deeds
        self._held = held
        self._rows = rows
        self._publisher = publisher
        self._members = members
        self._lease = lease
        self._pump = pump

    async def follow(self, wanted: Collection[int], *, keeps_rows: bool) -> None:
        """Take what is wanted and free; give up what is not wanted, as far as nothing of it is under way by now."""
        leaving = [
            bucket for bucket, one in self._held.items() if bucket not in wanted or one.stage is Stage.LEAVING
        ]  # fmt: skip
        if leaving:
            await self._give_up(leaving, keeps_rows=keeps_rows)
        new = sorted(set(wanted) - self._held.keys())
        for begin in range(0, len(new), TAKEN_AT_ONCE):
            if self._lease.holds():
                await asyncio.gather(*(self._take(bucket) for bucket in new[begin : begin + TAKEN_AT_ONCE]))

    async def _take(self, bucket: int) -> None:
        last = await self._log.last(bucket % STREAMS, deeds(bucket))
        if last is not None and not self._is_free(last):
            return
        claim = await self._deeds.claim(bucket, last.place if last is not None else 0)
        if claim is None:
            return
        crash_point("cluster-claimed")
        # Before the first link is queued under the claim. What was sent to others before is not known here.
        self._rows.wipe(bucket)
        self._held[bucket] = Holding(claim)

    def _is_free(self, last: Message) -> bool:
        match event := from_bytes(last.data):
            case Release():
                return True
            case Claim() | Entries():
                return event.life == self._deeds.life or self._members.is_over(event.node, event.life)
        raise LogDamaged(f"there is a strange event in {last.subject} of the cluster's log")

    async def _give_up(self, buckets: list[int], *, keeps_rows: bool) -> None:
        """Begin nothing there, finish what is under way, tell all of it; then they are free.

        None waits for a request in another one: whoever asks again gives up those that still have some.
        """
        for bucket in buckets:
            self._held[bucket].stage = Stage.LEAVING
        ready = [bucket for bucket in buckets if self._rows.give_up(bucket)]
        if len(ready) < len(buckets):
            self._pump()
        if not ready:
            return
        await self._publisher.flush()
        crash_point("cluster-releasing")
        for begin in range(0, len(ready), TAKEN_AT_ONCE):
            part = ready[begin : begin + TAKEN_AT_ONCE]
            await asyncio.gather(*map(self._release, part))
            for bucket in part:
                del self._held[bucket]
                if not keeps_rows:
                    self._rows.wipe(bucket)

    async def _release(self, bucket: int) -> None:
        """Who takes it next may do so at once: its hosts rest on there."""
        claim = self._held[bucket].claim
        for part in entry_parts(self._rows.rests(bucket), self._log.most_bytes):
            await self._deeds.write(bucket, claim, part)
        await self._deeds.release(bucket, claim)
