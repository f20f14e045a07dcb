"""What engine and parse workers say to each other, and how a message is framed on the socket."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from weft.config import CrawlConfig
from weft.store import OpenFile, RecordPlace
from weft.types import Fetched, FoundLink, Link, Original, Processed

LENGTH_BYTES = 4
ROOM_BYTES = 256 * 1024  # for what arrives at once; a larger message gets more


class Setup(msgspec.Struct, frozen=True, tag="setup", array_like=True):
    """First to a worker: how the crawl is set up, and which file the worker writes."""

    config: CrawlConfig
    scope_seeds: list[str]
    file: OpenFile
    info: dict[str, str]  # for the warcinfo record


class AddSeed(msgspec.Struct, frozen=True, tag="seed", array_like=True):
    """A seed redirected here: the scope grows."""

    url: str


class UseFile(msgspec.Struct, frozen=True, tag="file", array_like=True):
    """The file is large enough: go on in another one."""

    file: OpenFile


class PageJob(msgspec.Struct, frozen=True, tag="page", array_like=True):
    """Archive a response and find its links."""

    link: Link
    fetched: Fetched
    is_parsed: bool = True  # False: store only, because parsing it ended its workers
    may_be_large: bool = False  # True: the worker is the one that reads large pages
    original: Original | None = None  # a record whose payload seems to be the same


class StoreJob(msgspec.Struct, frozen=True, tag="store", array_like=True):
    """Archive a response that is no page's: robots.txt."""

    fetched: Fetched


class DnsJob(msgspec.Struct, frozen=True, tag="dns", array_like=True):
    """Archive what the name servers said of a host."""

    host: str
    addresses: tuple[str, ...]
    ttl_s: float
    asked_at: float


class RelaxJob(msgspec.Struct, frozen=True, tag="relax", array_like=True):
    """Read a page again from the archive: it is nearer to a seed than was known, so its links may be, too."""

    link: Link
    record: RecordPlace
    original: RecordPlace | None = None  # where the body lies, if the record is a revisit


class Ready(msgspec.Struct, frozen=True, tag="ready", array_like=True):
    """The worker is set up. It says so once, before anything else."""


class Failed(msgspec.Struct, frozen=True, tag="failed", array_like=True):
    """The worker could not do its job, and says so instead of dying."""

    reason: str
    is_disk_full: bool = False


class Large(msgspec.Struct, frozen=True, tag="large", array_like=True):
    """The page is a large one: nothing was done, it is for the worker that reads such."""


class Links(msgspec.Struct, frozen=True, tag="links", array_like=True):
    """Some of the links of the job under way; the last ones come with its answer."""

    links: list[FoundLink]


class Done(msgspec.Struct, frozen=True, tag="done", array_like=True):
    """A job's result."""

    processed: Processed


Answer = Done | Large | Failed  # one for each Job, in their order
Reply = Ready | Links | Answer
Job = PageJob | StoreJob | RelaxJob | DnsJob
Message = Setup | AddSeed | UseFile | Job

_encoder = msgspec.msgpack.Encoder()
decode_message = msgspec.msgpack.Decoder(Message).decode
decode_reply = msgspec.msgpack.Decoder(Reply).decode


def frame(message: Message | Reply) -> bytearray:
    """A message as it goes over the socket: its length, then itself."""
    buffer = bytearray(LENGTH_BYTES)
    _encoder.encode_into(message, buffer, LENGTH_BYTES)
    buffer[:LENGTH_BYTES] = (len(buffer) - LENGTH_BYTES).to_bytes(LENGTH_BYTES, "big")
    return buffer


class FrameReader:
    """Cuts a byte stream into messages, right where it was received: a job is a whole page, so copies tell."""

    def __init__(self) -> None:
        self._view = memoryview(bytearray(ROOM_BYTES))
        self._end = 0  # of what has arrived and was not given
        self._given = 0  # up to here it was

    def room(self) -> memoryview:
        """Where the next bytes go. The messages that `received` gave are gone with this."""
        rest = self._view[self._given : self._end]
        if len(rest) == len(self._view):
            self._view = memoryview(bytearray(2 * len(rest)))
        elif not rest and len(self._view) > ROOM_BYTES:  # one large message does not mean another
            self._view = memoryview(bytearray(ROOM_BYTES))
        self._view[: len(rest)] = rest
        self._given, self._end = 0, len(rest)
        return self._view[self._end :]

    def received(self, count: int) -> list[memoryview]:
        """So many bytes have arrived there: the messages that are whole, to be decoded before more is received."""
        self._end += count
        view = self._view
        messages = []
        start = self._given
        while self._end >= (body := start + LENGTH_BYTES):
            end = body + int.from_bytes(view[start:body], "big")
            if self._end < end:
                break
            messages.append(view[body:end])
            start = end
        self._given = start
        return messages

    def feed(self, data: bytes) -> Iterator[memoryview]:
        """The messages that are whole with these bytes, each to be decoded before the next one is asked for."""
        rest = memoryview(data)
        while rest:
            room = self.room()
            part = rest[: len(room)]
            room[: len(part)] = part
            rest = rest[len(part) :]
            yield from self.received(len(part))
