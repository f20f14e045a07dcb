"""The log in NATS JetStream: four streams of a crawl, written and read.

    w.<crawl>.<p>.f.<bucket>   links found          p = bucket mod STREAMS
    w.<crawl>.<p>.d.<bucket>   what its owner did
    w.<crawl>.0.scope          seeds
    w.<crawl>.<p>.end          probes

What is published is tried until the log has it: a server that is away comes back, and until then nothing is lost, as
the outbox keeps it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

import nats.errors
import nats.js.errors
from nats.aio.client import Client
from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DeliverPolicy,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
    StreamInfo,
)

from weft.cluster.connection import heed_cancellation
from weft.cluster.events import LogDamaged
from weft.errors import BadInput

STREAMS: Final = 4
GIB: Final = 1 << 30
MAX_STREAM_BYTES: Final = 64 * GIB
ASK_WITHIN_S: Final = 5.0
PAUSE_S: Final = 0.5  # between tries
READ_AT_ONCE: Final = 200  # messages
READ_WAIT_S: Final = 1.0
SILENCE_S: Final = 5.0  # then the server is asked whether it still knows the reader
WRONG_LAST: Final = (10071, 10164)  # "wrong last sequence"
GONE: Final = (10059, 10014)  # stream, consumer not found
CLAIM: Final = "Weft-Claim"
EXPECTED: Final = "Nats-Expected-Last-Subject-Sequence"
CUT_SHORT: Final = "the crawl's log has lost events; `weft cluster rebuild` makes it again from the folders"


class Message(NamedTuple):
    """One event as it stands in a stream."""

    place: int  # in its stream
    subject: str
    data: bytes
    claim: int  # of links: under which their sender has queued them itself


class Refused(Exception):
    """Somebody has written to the subject since."""


class Log(Protocol):
    """What a node needs of it."""

    most_bytes: int  # of one event
    known: list[int]  # up to where each stream surely reaches: an event that comes to stand before it is LogDamaged

    async def ends(self) -> list[int]:
        """The last place of each stream."""

    async def publish(self, stream: int, subject: str, data: bytes, claim: int = 0) -> int:
        """Have an event in the log, perhaps twice; its place."""

    async def append(self, stream: int, subject: str, data: bytes, after: int) -> int:
        """Likewise, if the last event of the subject has that place (0: there is none). Refused otherwise."""

    async def last(self, stream: int, subject: str) -> Message | None:
        """The last event of a subject, of whatever is acknowledged."""

    def replay(self, stream: int, subjects: Sequence[str], after: int, until: int) -> AsyncIterator[list[Message]]:
        """Everything of these subjects behind a place and up to another."""

    def read(self, stream: int, subjects: Sequence[str], after: int) -> Reader:
        """What comes behind a place."""


class Reader(Protocol):
    """Reads on, for as long as it is asked."""

    async def next(self) -> list[Message]:
        """What has come, in order and without a gap; empty after a while in which nothing came."""

    async def close(self) -> None:
        """Let go of it."""


def found(bucket: int) -> str:
    """The end of the subject of links."""
    return f"f.{bucket}"


def deeds(bucket: int) -> str:
    """The end of the subject of what the owner did."""
    return f"d.{bucket}"


SCOPE: Final = "scope"  # in stream 0
END: Final = "end"


class NatsLog:
    """The log of one crawl."""

    def __init__(self, client: Client, crawl: str) -> None:
        self.client = client
        self._crawl = crawl
        self._js = client.jetstream(timeout=ASK_WITHIN_S)
        self.most_bytes = max(1024, client.max_payload // 2)
        self.known = [0] * STREAMS

    async def create(self, replicas: int) -> None:
        """Make the streams of a new crawl. BadInput if there are such already."""
        for stream in range(STREAMS):
            config = StreamConfig(
                name=self._stream(stream),
                subjects=[self._subject(stream, ">")],
                retention=RetentionPolicy.LIMITS,
                discard=DiscardPolicy.NEW,
                storage=StorageType.FILE,
                num_replicas=replicas,
                max_bytes=-1,
                max_msgs=-1,
                allow_direct=False,  # what is read comes from the leader
            )
            try:
                await self._js.add_stream(config)
            except nats.js.errors.APIError as error:
                raise BadInput(f"the servers do not make a stream for the crawl: {error.description}") from error

    async def remove(self) -> bool:
        """Take a crawl's streams away; False if there is none."""
        was_there = False
        for stream in range(STREAMS):
            with suppress(nats.js.errors.NotFoundError):
                await self._js.delete_stream(self._stream(stream))
                was_there = True
        return was_there

    async def made_at(self) -> list[str]:
        """When each stream was made. LogDamaged if one is not there."""
        return [str(info.created) for info in await self._infos()]

    async def ends(self) -> list[int]:
        """The last place of each stream. LogDamaged if one is not there."""
        return [info.state.last_seq for info in await self._infos()]

    async def _infos(self) -> list[StreamInfo]:
        try:
            return [await self._js.stream_info(self._stream(stream)) for stream in range(STREAMS)]
        except nats.js.errors.NotFoundError as error:
            raise LogDamaged("a stream of the crawl is gone; `weft cluster rebuild` makes the log again") from error

    async def publish(self, stream: int, subject: str, data: bytes, claim: int = 0) -> int:
        headers = {CLAIM: str(claim)} if claim else None
        return await self._until_acknowledged(stream, subject, data, headers)

    async def append(self, stream: int, subject: str, data: bytes, after: int) -> int:
        return await self._until_acknowledged(stream, subject, data, {EXPECTED: str(after)})

    async def _until_acknowledged(self, stream: int, subject: str, data: bytes, headers: dict[str, str] | None) -> int:
        while True:
            known = self.known[stream]
            try:
                ack = await self._js.publish(
                    self._subject(stream, subject), data, headers=dict(headers) if headers else None
                )
            except nats.js.errors.APIError as error:
                if error.err_code in WRONG_LAST:
                    raise Refused from error
                if error.err_code in GONE:
                    raise LogDamaged("a stream of the crawl is gone") from error
            except (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError):
                pass  # the servers are away, or choose a leader, or are full: the outbox keeps it
            else:
                if ack.seq <= known:
                    raise LogDamaged(CUT_SHORT)
                self.known[stream] = max(self.known[stream], ack.seq)
                return ack.seq
            if self.client.is_closed:
                raise LogDamaged("the connection to the cluster's log was closed")
            await asyncio.sleep(PAUSE_S)

    async def last(self, stream: int, subject: str) -> Message | None:
        while True:
            try:
                raw = await self._js.get_last_msg(self._stream(stream), self._subject(stream, subject))
            except nats.js.errors.NotFoundError as error:
                if error.err_code in GONE:
                    raise LogDamaged("a stream of the crawl is gone") from error
                return None
            except (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError):
                await asyncio.sleep(PAUSE_S)
            else:
                return Message(raw.seq or 0, subject, raw.data or b"", 0)

    async def replay(
        self, stream: int, subjects: Sequence[str], after: int, until: int
    ) -> AsyncIterator[list[Message]]:
        place, mark = after, ""
        while place < until:
            reader = NatsReader(self, stream, [*subjects, *filter(None, [mark])], place)
            try:
                while not await reader.is_past(until):
                    own = [one for one in await reader.next() if one.place <= until and one.subject != mark]
                    if own:
                        yield own
                place = reader.place
            finally:
                await reader.close()
            if place < until:  # a server that is behind says so, too: then the event there must come as well
                last = await self._subject_at(stream, until)
                if mark or last in subjects:
                    await asyncio.sleep(PAUSE_S)
                mark = "" if last in subjects else last

    async def _subject_at(self, stream: int, place: int) -> str:
        """The subject of an event that was acknowledged: asked until the leader has it."""
        while True:
            try:
                raw = await self._js.get_msg(self._stream(stream), place)
            except nats.js.errors.NotFoundError as error:
                if error.err_code in GONE:
                    raise LogDamaged("a stream of the crawl is gone") from error
            except (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError):
                pass
            else:
                return _end_of(raw.subject or "")
            await asyncio.sleep(PAUSE_S)

    def read(self, stream: int, subjects: Sequence[str], after: int) -> NatsReader:
        return NatsReader(self, stream, subjects, after)

    async def consumer(self, stream: int, subjects: Sequence[str], after: int) -> tuple[str, int]:
        """A consumer that begins behind a place: its name, and how many messages wait for it."""
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=after + 1,
            ack_policy=AckPolicy.NONE,
            filter_subjects=[self._subject(stream, subject) for subject in subjects],
            mem_storage=True,
            num_replicas=1,
            inactive_threshold=60.0,  # of a reader that died
        )
        info = await self._js.add_consumer(self._stream(stream), config)
        return info.name, info.num_pending or 0

    async def forget(self, stream: int, consumer: str) -> None:
        """Have the server delete a consumer. Its answer is not awaited: who is cancelled has no time for it."""
        await self.client.publish(f"$JS.API.CONSUMER.DELETE.{self._stream(stream)}.{consumer}")

    def _stream(self, stream: int) -> str:
        return f"WEFT_{self._crawl}_{stream}"

    def _subject(self, stream: int, subject: str) -> str:
        return f"w.{self._crawl}.{stream}.{subject}"


def _end_of(subject: str) -> str:
    """What `found`, `deeds` and so on name it by."""
    return subject.split(".", 3)[3]


class NatsReader:
    """Reads a stream on; after a gap, or when the server has forgotten it, from where it was."""

    def __init__(self, log: NatsLog, stream: int, subjects: Sequence[str], after: int) -> None:
        self._log = log
        self._stream = stream
        self._subjects = subjects
        self.place = after  # of the last event that was read
        self._pending = -1  # messages that wait for it, as far as is known; -1: not known
        self._name = ""  # of its consumer
        self._subscription: nats.js.JetStreamContext.PullSubscription | None = None
        self._delivered = 0  # by this consumer
        self._silent_s = 0.0

    async def is_past(self, place: int) -> bool:
        """Whether nothing up to that place is left to be read."""
        while self._pending < 0:
            await self._open()
        return self.place >= place or self._pending == 0

    async def next(self) -> list[Message]:
        if self._subscription is None and not await self._open():
            return []
        assert self._subscription is not None
        try:
            try:
                raw = await self._subscription.fetch(READ_AT_ONCE, timeout=READ_WAIT_S)
            finally:
                heed_cancellation()
        except TimeoutError:
            await self._look_after(READ_WAIT_S)
            return []
        except (nats.errors.Error, nats.js.errors.Error, OSError):
            await self.close()
            await asyncio.sleep(PAUSE_S)
            return []
        self._silent_s = 0.0
        messages = []
        for one in raw:
            meta = one.metadata
            self._delivered += 1
            if meta.sequence.consumer != self._delivered:  # something is missing: read it again from there
                await self.close()
                break
            self._pending = meta.num_pending
            if meta.sequence.stream <= self.place:  # a server that is behind begins where its own stream ends
                continue
            self.place = meta.sequence.stream
            claim = int((one.headers or {}).get(CLAIM, 0))
            messages.append(Message(self.place, _end_of(one.subject), one.data, claim))
        return messages

    async def close(self) -> None:
        subscription, self._subscription, self._pending = self._subscription, None, -1
        if subscription is not None:
            with suppress(nats.errors.Error, OSError):
                await subscription.unsubscribe()
                await self._log.forget(self._stream, self._name)

    async def _open(self) -> bool:
        try:
            self._name, self._pending = await self._log.consumer(self._stream, self._subjects, self.place)
            js, stream = self._log._js, self._log._stream(self._stream)
            self._subscription = await js.pull_subscribe_bind(consumer=self._name, stream=stream)
        except nats.js.errors.NotFoundError as error:
            raise LogDamaged("a stream of the crawl is gone") from error
        except (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError):
            await self.close()
            await asyncio.sleep(PAUSE_S)
            return False
        self._delivered, self._silent_s = 0, 0.0
        return True

    async def _look_after(self, waited_s: float) -> None:
        """A server that was started again knows nothing of its readers, and does not say so."""
        self._silent_s += waited_s
        if self._silent_s < SILENCE_S or self._subscription is None:
            return
        self._silent_s = 0.0
        try:
            info = await self._subscription.consumer_info()
            if info.num_pending:
                await self.close()
        except (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError):
            await self.close()
