"""What a node writes about its own buckets: each event only if it stands behind the last one that the node knows."""

from __future__ import annotations

import asyncio

from weft.cluster.events import Claim, Entries, Entry, Event, Release, from_bytes, to_bytes
from weft.cluster.lease import LifeOver
from weft.cluster.log import STREAMS, Log, Refused, deeds


class Deeds:
    """Writes what a node does in its buckets: one event of a bucket on its way at a time."""

    def __init__(self, log: Log, node: str, life: str, *, is_rest: bool = False) -> None:
        self._log = log
        self._node = node
        self.life = life
        self._is_rest = is_rest  # left by an earlier life: what another node has taken since, it will do itself
        self._number = 0
        self._last: dict[int, int] = {}  # by bucket: the place of the newest event, where it is ours
        self._released: dict[int, int] = {}  # by bucket: the claim that was given back last
        self._locks: dict[int, asyncio.Lock] = {}

    async def claim(self, bucket: int, after: int) -> int | None:
        """Take a bucket whose last event has that place; None if somebody else was faster."""
        event = Claim(self._node, self.life)
        try:
            place = await self._log.append(bucket % STREAMS, deeds(bucket), to_bytes(event), after)
        except Refused:  # perhaps by this very event, whose acknowledgement was lost
            last = await self._log.last(bucket % STREAMS, deeds(bucket))
            if last is None or from_bytes(last.data) != event:
                return None
            place = last.place
        self._last[bucket] = place
        return place

    async def write(self, bucket: int, claim: int, entries: list[Entry]) -> None:
        """Say what happened under a claim. LifeOver if the bucket is another's by now, unless this life gave it back.

        Then whoever has it finds out by himself.
        """
        if self._released.get(bucket) == claim:
            return
        self._number += 1
        await self._append(bucket, claim, Entries(self._node, self.life, claim, self._number, entries))

    async def release(self, bucket: int, claim: int) -> None:
        """Give a bucket back."""
        self._released[bucket] = claim
        await self._append(bucket, claim, Release(self.life, claim))
        del self._last[bucket]

    async def _append(self, bucket: int, claim: int, event: Event) -> None:
        async with self._locks.setdefault(bucket, asyncio.Lock()):
            after = self._last.get(bucket, claim)
            data = to_bytes(event)
            while True:
                try:
                    place = await self._log.append(bucket % STREAMS, deeds(bucket), data, after)
                except Refused:
                    last = await self._log.last(bucket % STREAMS, deeds(bucket))
                    written = from_bytes(last.data) if last is not None else None
                    if last is not None and written == event:
                        place = last.place
                    elif last is not None and (last.place == claim or _is_of(written, claim)):
                        after = last.place
                        continue
                    elif self._is_rest:
                        return
                    else:
                        raise LifeOver(f"another node has taken bucket {bucket}") from None
                self._last[bucket] = place
                return


def _is_of(event: Event | None, claim: int) -> bool:
    return isinstance(event, Entries) and event.claim == claim
