"""The NATS servers as a node sees them: the log, the shared values, and a network that loses what it likes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from random import Random
from typing import Final, TypeVar, cast

import nats.js.errors
from nats.js.kv import KeyValue

from tests.cluster.schedules.timeline import ProcessLoop, Timeline
from weft.cluster.events import LogDamaged
from weft.cluster.log import CUT_SHORT, END, PAUSE_S, STREAMS, Message, Refused
from weft.cluster.shared import Shared

T = TypeVar("T")

ASK_WITHIN_S: Final = 5.0
LOOK_AGAIN_S: Final = 0.5
MESSAGES_AT_ONCE: Final = 3  # of a reader: so that a kill falls between


class Stored:
    """What the servers have."""

    def __init__(self) -> None:
        self.streams: list[list[Message]] = [[] for _ in range(STREAMS)]
        self.last: dict[tuple[int, str], Message] = {}  # of each subject
        self.values: dict[str, tuple[int, bytes]] = {}
        self.nodes: dict[str, tuple[int, bytes]] = {}
        self.revision = 0
        self.on_probe: Callable[[], None] = lambda: None
        self.on_value: Callable[[str, bytes], None] = lambda key, value: None

    def append(self, stream: int, subject: str, data: bytes, claim: int, after: int | None) -> int:
        """The place of an event; Refused if the subject's last one has another place than is expected."""
        last = self.last.get((stream, subject))
        if after is not None and after != (last.place if last is not None else 0):
            raise Refused
        message = Message(len(self.streams[stream]) + 1, subject, data, claim)
        self.streams[stream].append(message)
        self.last[stream, subject] = message
        if subject == END:
            self.on_probe()
        return message.place

    def cut_short(self, places: int) -> None:
        """The last events of each stream are lost, as a server's that had not synced them."""
        for stream, messages in enumerate(self.streams):
            del messages[max(0, len(messages) - places) :]
            for subject in [subject for number, subject in self.last if number == stream]:
                del self.last[stream, subject]
            self.last.update({(stream, one.subject): one for one in messages})

    def behind(self, stream: int, subjects: Sequence[str], after: int, most: int) -> list[Message]:
        """The next events of these subjects."""
        found = []
        for message in self.streams[stream][after:]:
            if message.subject in subjects:
                found.append(message)
                if len(found) == most:
                    break
        return found

    def update(self, store: dict[str, tuple[int, bytes]], key: str, value: bytes, last: int) -> int:
        """Compare and set."""
        if (store[key][0] if key in store else 0) != last:
            raise nats.js.errors.KeyWrongLastSequenceError
        self.revision += 1
        store[key] = (self.revision, value)
        if store is self.values:
            self.on_value(key, value)
        return self.revision


class Network:
    """Between nodes and servers: slow at times, cut at others."""

    def __init__(self, timeline: Timeline, random: Random) -> None:
        self.timeline = timeline
        self.random = random
        self.stored = Stored()
        self.own_loop = ProcessLoop(timeline)  # type: ignore[abstract]  # of all that a loop has, nobody needs more
        self.slowest_s = random.choice([0.05, 0.3, 1.0])
        self.away_until_s = 0.0
        self.is_over = False

    def later(self, seconds: float, step: Callable[[], None]) -> None:
        """Something happens that no node can hold up."""
        self.own_loop.call_later(seconds, step)

    def way_s(self) -> float:
        """How long a message is on its way."""
        return self.slowest_s * self.random.random()


class Line:
    """One process's connection."""

    def __init__(self, network: Network, loop: ProcessLoop) -> None:
        self._network = network
        self._loop = loop
        self.cut_until_s = 0.0
        self.share_lost = 0.0  # of requests
        self.acks_to_lose = 0

    async def ask(self, step: Callable[[], T]) -> T:
        """Have the servers do something. TimeoutError: they may have done it, or not, or do it yet."""
        if self._network.is_over:
            raise asyncio.CancelledError
        answer: asyncio.Future[T] = self._loop.create_future()

        def arrive() -> None:
            if self._is_cut():
                return
            if self.share_lost and self._network.random.random() < self.share_lost:
                return
            result, refusal = None, None
            try:
                result = step()
            except (Refused, nats.js.errors.Error) as error:
                refusal = error
            self._network.later(self._network.way_s(), lambda: reply(result, refusal))

        def reply(result: T | None, error: Exception | None) -> None:
            if self._is_cut():
                return
            if self.acks_to_lose:
                self.acks_to_lose -= 1
                return
            self._loop.call_soon(settle, result, error)

        def settle(result: T | None, error: Exception | None) -> None:
            if answer.done():
                return
            if error is not None:
                answer.set_exception(error)
                answer.exception()  # whoever asked may be gone
            else:
                answer.set_result(cast("T", result))

        self._network.later(self._network.way_s(), arrive)
        await asyncio.wait([answer], timeout=ASK_WITHIN_S)
        if not answer.done():
            raise TimeoutError
        return answer.result()

    def _is_cut(self) -> bool:
        return self._network.timeline.now_s < max(self.cut_until_s, self._network.away_until_s)

    async def ask_until_answered(self, step: Callable[[], T]) -> T:
        """As `NatsLog` does."""
        while True:
            try:
                return await self.ask(step)
            except TimeoutError:
                await asyncio.sleep(PAUSE_S)


class MemoryLog:
    """`weft.cluster.log.Log`."""

    def __init__(self, line: Line, stored: Stored, most_bytes: int = 1_000_000) -> None:
        self._line = line
        self._stored = stored
        self.most_bytes = most_bytes
        self.known = [0] * STREAMS

    async def ends(self) -> list[int]:
        return await self._line.ask(lambda: [len(stream) for stream in self._stored.streams])

    async def publish(self, stream: int, subject: str, data: bytes, claim: int = 0) -> int:
        return await self._acknowledged(stream, lambda: self._stored.append(stream, subject, data, claim, None))

    async def append(self, stream: int, subject: str, data: bytes, after: int) -> int:
        return await self._acknowledged(stream, lambda: self._stored.append(stream, subject, data, 0, after))

    async def _acknowledged(self, stream: int, step: Callable[[], int]) -> int:
        known = self.known[stream]
        place = await self._line.ask_until_answered(step)
        if place <= known:
            raise LogDamaged(CUT_SHORT)
        self.known[stream] = max(self.known[stream], place)
        return place

    async def last(self, stream: int, subject: str) -> Message | None:
        return await self._line.ask_until_answered(lambda: self._stored.last.get((stream, subject)))

    async def replay(
        self, stream: int, subjects: Sequence[str], after: int, until: int
    ) -> AsyncIterator[list[Message]]:
        reader = self.read(stream, subjects, after)
        while messages := [one for one in await reader.come() if one.place <= until]:
            yield messages

    def read(self, stream: int, subjects: Sequence[str], after: int) -> MemoryReader:
        return MemoryReader(self._line, self._stored, stream, subjects, after)


class MemoryReader:
    """`weft.cluster.log.Reader`."""

    def __init__(self, line: Line, stored: Stored, stream: int, subjects: Sequence[str], after: int) -> None:
        self._line = line
        self._stored = stored
        self._stream = stream
        self._subjects = subjects
        self._place = after

    async def come(self) -> list[Message]:
        """What is there already."""
        messages = await self._line.ask_until_answered(
            lambda: self._stored.behind(self._stream, self._subjects, self._place, MESSAGES_AT_ONCE)
        )
        if messages:
            self._place = messages[-1].place
        return messages

    async def next(self) -> list[Message]:
        if not (messages := await self.come()):
            await asyncio.sleep(LOOK_AGAIN_S)
        return messages

    async def close(self) -> None:
        pass


class MemoryValues(KeyValue):
    """A key-value store, as far as `Shared` uses one."""

    def __init__(self, line: Line, stored: Stored, store: dict[str, tuple[int, bytes]]) -> None:
        self._line = line
        self._stored = stored
        self._store = store

    async def get(self, key: str, revision: int | None = None, validate_keys: bool = True) -> KeyValue.Entry:
        def step() -> KeyValue.Entry:
            if key not in self._store:
                raise nats.js.errors.KeyNotFoundError
            revision, value = self._store[key]
            return KeyValue.Entry("", key, value, revision, None, None, None)

        return await self._line.ask(step)

    async def update(self, key: str, value: bytes, last: int | None = None, *args: object, **more: object) -> int:
        return await self._line.ask(lambda: self._stored.update(self._store, key, value, last or 0))

    async def names(self) -> list[str]:
        return await self._line.ask(lambda: list(self._store))


def shared_by(line: Line, stored: Stored) -> Shared:
    """The shared values as a process sees them."""
    nodes = MemoryValues(line, stored, stored.nodes)
    return Shared(MemoryValues(line, stored, stored.values), nodes, nodes.names)
