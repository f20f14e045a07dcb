"""Reading the streams: what was taken is known whole before it is owned."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import cast

from weft.cluster.ending import Probes
from weft.cluster.events import Entry, Found, FoundUrl, to_bytes
from weft.cluster.holdings import Held, Holding, Stage
from weft.cluster.log import STREAMS, Log, Message, found
from weft.cluster.reading import Reading

B = STREAMS  # a bucket of stream 0


class Rows:
    """Remembers which links have come since a bucket was wiped."""

    def __init__(self) -> None:
        self.urls: set[str] = set()
        self.adopted: list[int] = []

    def wipe(self, bucket: int) -> None:
        self.urls.clear()

    def adopt(self, bucket: int) -> None:
        self.adopted.append(bucket)

    def give_up(self, bucket: int) -> bool:
        return True

    def rests(self, bucket: int) -> list[Entry]:
        return []

    def deeds(self, messages: Iterable[Message], again: dict[bytes, FoundUrl]) -> None:
        pass

    def queue_again(self, again: dict[bytes, FoundUrl]) -> None:
        pass

    def found(self, events: Iterable[Found]) -> None:
        self.urls.update(url.file for event in events for url in event.urls)

    def widen(self, seeds: list[str]) -> None:
        pass


class TurningLog:
    """Its bucket is given up and taken again after the first message of a replay."""

    def __init__(self, held: Held, rows: Rows) -> None:
        self._held = held
        self._rows = rows
        self._has_turned = False

    async def replay(
        self, stream: int, subjects: Sequence[str], after: int, until: int
    ) -> AsyncIterator[list[Message]]:
        if found(B) not in subjects:
            return
        for place in (1, 2):
            yield [Message(place, found(B), to_bytes(Found([FoundUrl("a.example", f"/{place}")])), 0)]
            if not self._has_turned:
                self._has_turned = True
                del self._held[B]
                self._rows.wipe(B)
                self._held[B] = Holding(4)


def test_a_bucket_taken_again_during_its_replay_is_replayed_again_before_it_is_owned() -> None:
    held, rows = {B: Holding(3)}, Rows()
    reading = Reading(cast("Log", TurningLog(held, rows)), held, rows, Probes(STREAMS), lambda: None)
    asyncio.run(reading.join(0))
    assert held[B].stage is Stage.REPLAYING
    assert not rows.adopted
    asyncio.run(reading.join(0))
    assert held[B].stage is Stage.OWNED
    assert rows.urls == {"/1", "/2"}
    assert rows.adopted == [B]
