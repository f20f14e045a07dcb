"""What comes in the streams: links of this node's buckets, seeds, probes; and first all that was ever said of a bucket
that was taken.

To take a bucket is to replay its log: what its owners did, then the links that were found. Then the stream is read on
with the bucket among its subjects, from the place up to which everything is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from weft.cluster.ending import Probes
from weft.cluster.events import Found, FoundUrl, Probe, Scope, from_bytes
from weft.cluster.holdings import Held, Stage
from weft.cluster.log import END, PAUSE_S, SCOPE, STREAMS, Log, Message, deeds, found
from weft.cluster.members import ProbeHeard
from weft.cluster.shared import AWAY
from weft.cluster.view import Rows
from weft.crash_points import crash_point


class Reading:
    """A reader of each stream."""

    def __init__(self, log: Log, held: Held, rows: Rows, probes: Probes, on_news: Callable[[], None]) -> None:
        self._log = log
        self._held = held
        self._rows = rows
        self._probes = probes
        self._on_news = on_news  # called when there may be something to do
        self._places = [0] * STREAMS  # up to which each stream was read
        self._joining = [asyncio.Event() for _ in range(STREAMS)]

    async def learn_scope(self) -> None:
        """Before anything else: all seeds."""
        async for messages in self._log.replay(0, [SCOPE], 0, await self._end_of_seeds()):
            for message in messages:
                if isinstance(event := from_bytes(message.data), Scope):
                    self._rows.widen(event.seeds)

    async def _end_of_seeds(self) -> int:
        """Asked until it is answered: streams may be choosing a leader."""
        while True:
            try:
                return (await self._log.ends())[0]
            except AWAY:
                await asyncio.sleep(PAUSE_S)

    def replay_taken(self) -> None:
        """Buckets were taken: they are to be replayed."""
        for bucket, one in self._held.items():
            if one.stage is Stage.REPLAYING:
                self._joining[bucket % STREAMS].set()

    async def read(self, stream: int) -> None:
        """Read a stream on; whenever buckets have been taken, first all that was ever said of them."""
        while True:
            await self.join(stream)
            reader = self._log.read(stream, self._subjects(stream), self._places[stream])
            try:
                while not self._joining[stream].is_set():
                    if messages := await reader.next():
                        self._apply(stream, messages)
                        self._places[stream] = messages[-1].place
            finally:
                await reader.close()

    async def join(self, stream: int) -> None:
        """Replay the buckets that were taken."""
        self._joining[stream].clear()
        new = {
            bucket: one
            for bucket, one in self._held.items()
            if bucket % STREAMS == stream and one.stage is Stage.REPLAYING
        }
        if not new:
            return
        until = max(one.claim for one in new.values())
        # First what is read already comes to the same place, so that one reader can go on from there for all.
        async for messages in self._log.replay(stream, self._subjects(stream), self._places[stream], until):
            self._apply(stream, messages)
        place = self._places[stream] = max(self._places[stream], until)
        again: dict[bytes, FoundUrl] = {}
        async for messages in self._log.replay(stream, [deeds(bucket) for bucket in new], 0, place):
            self._rows.deeds(messages, again)
        crash_point("cluster-replaying")
        async for messages in self._log.replay(stream, [found(bucket) for bucket in new], 0, place):
            self._apply(stream, messages)
        self._rows.queue_again(again)
        for bucket, one in new.items():
            # Not if it was given up meanwhile, nor if it was taken again: what came before is wiped.
            if self._held.get(bucket) is one and one.stage is Stage.REPLAYING:
                one.stage = Stage.OWNED
                self._rows.adopt(bucket)
        crash_point("cluster-joined")
        self._on_news()

    def _subjects(self, stream: int) -> list[str]:
        own = [
            found(bucket)
            for bucket, one in sorted(self._held.items())
            if bucket % STREAMS == stream and one.stage is not Stage.REPLAYING
        ]
        return [*own, END, *([SCOPE] if stream == 0 else [])]

    def _apply(self, stream: int, messages: list[Message]) -> None:
        """What has come, in its order."""
        arrived: list[Found] = []
        for message in messages:
            if message.claim and self._is_own(message):
                continue
            match event := from_bytes(message.data):
                case Found():
                    if _bucket_of(message) in self._held:
                        arrived.append(event)
                case Scope():
                    self._rows.widen(event.seeds)
                case Probe():
                    self._probes.hear(stream, ProbeHeard(event.by, event.number))
        if arrived:
            self._on_news()
            self._rows.found(arrived)

    def _is_own(self, message: Message) -> bool:
        """Whether these links were queued here, under the very claim by which the bucket is held."""
        holding = self._held.get(_bucket_of(message))
        return holding is not None and holding.claim == message.claim


def _bucket_of(message: Message) -> int:
    return int(message.subject.removeprefix("f."))
