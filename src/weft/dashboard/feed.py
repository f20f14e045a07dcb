"""What all viewers see: read once, encoded once, sent to each of them.

A viewer always gets the newest frame next; one that is slow misses those between. Nothing is read while nobody looks.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from weft.clock import Clock
from weft.dashboard.source import Source, Trouble

MOST_VIEWERS: Final = 50
SILENCE_S: Final = 15.0  # after which a word is sent, so that a connection which is gone is noticed
STILL_HERE: Final = b":\n\n"


class Full(Exception):
    """As many look on as may."""


class Frame(msgspec.Struct, frozen=True):
    """One server-sent event."""

    kind: str  # crawl or cluster
    name: str
    trouble: str  # why there is no status
    status: msgspec.Raw


class Feed:
    """The frames of one source."""

    def __init__(self, source: Source, clock: Clock, *, most: int = MOST_VIEWERS) -> None:
        self._source = source
        self._clock = clock
        self._every_s = source.every_s
        self._most = most
        self._viewers = 0
        self._somebody = asyncio.Event()
        self._next = asyncio.Event()  # set, and replaced, by each new frame
        self._frame = b""
        self._number = 0
        self._has_ended = False
        self._reading = asyncio.Lock()
        # What was read last, and when: {what: (monotonic time, bytes or Trouble)}. Bound: two entries.
        self._read: dict[str, tuple[float, bytes | Trouble]] = {}

    @property
    def viewers(self) -> int:
        """How many look on now."""
        return self._viewers

    @contextmanager
    def place(self) -> Iterator[None]:
        """A viewer's place; raises Full."""
        if self._viewers >= self._most:
            raise Full
        self._viewers += 1
        self._somebody.set()
        try:
            yield
        finally:
            self._viewers -= 1
            if not self._viewers:
                self._somebody.clear()

    async def run(self) -> None:
        """Read, as long as somebody looks on."""
        while not self._has_ended:
            await self._somebody.wait()
            await self.refresh()
            await asyncio.sleep(self._every_s)

    async def refresh(self) -> None:
        """Read, and make a frame of what is new."""
        frame = await self._made()
        if frame != self._frame:
            self._frame = frame
            self._number += 1
            self._wake()

    def end(self) -> None:
        """Let all viewers go, after their last frame."""
        self._has_ended = True
        self._wake()

    async def frames(self) -> AsyncIterator[bytes]:
        """For one viewer: the newest frame, and so on."""
        seen = 0
        yield STILL_HERE  # a head without a body would be kept back
        while True:
            waiting = self._next
            if seen != self._number:
                seen = self._number
                yield self._frame
            elif self._has_ended:
                return
            else:
                try:
                    async with asyncio.timeout(SILENCE_S):
                        await waiting.wait()
                except TimeoutError:
                    yield STILL_HERE

    async def status(self) -> bytes:
        """How it stands, for who asks once; raises Trouble."""
        return await self._lately("status")

    async def history(self) -> bytes:
        """Its curves; raises Trouble."""
        return await self._lately("history")

    async def _made(self) -> bytes:
        try:
            status, trouble = await self._lately("status"), ""
        except Trouble as error:
            status, trouble = b"null", str(error)
        frame = Frame(self._source.kind, self._source.name, trouble, msgspec.Raw(status))
        return b"data: " + msgspec.json.encode(frame) + b"\n\n"

    async def _lately(self, what: str) -> bytes:
        """What was read within half a period, or is read now: who asks often reads no more often."""
        async with self._reading:
            at, found = self._read.get(what, (float("-inf"), b""))
            if self._clock.monotonic() - at >= self._every_s / 2:
                try:
                    found = await (self._source.history() if what == "history" else self._source.status())
                except Trouble as error:
                    found = error
                self._read[what] = self._clock.monotonic(), found
        if isinstance(found, Trouble):
            raise found
        return found

    def _wake(self) -> None:
        self._next.set()
        self._next = asyncio.Event()
