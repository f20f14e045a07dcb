"""Beside a crawl that runs: its status is written every second, and what a person tells it is carried out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Final

import msgspec

from weft.clock import Clock
from weft.errors import WeftError, told_in_words
from weft.live.history import HISTORY, History
from weft.live.obeying import Obeying
from weft.live.sampler import Sampler, ended, moment_of
from weft.live.sightings import Sightings, Sights
from weft.live.status import State, Status
from weft.live.status_file import NAME, write_status
from weft.live.summary import Summary
from weft.pipeline.context import Context
from weft.pipeline.crawl import Crawl
from weft.pipeline.doors import Doors
from weft.pipeline.run import OpenDoors

HOSTS: Final = Path("state") / "hosts.live"
STATUS_EVERY_S: Final = 1.0
COMMANDS_EVERY_S: Final = 0.25
HOSTS_SAVED_EVERY_S: Final = 10.0

log: Final = logging.getLogger("weft.live")


class Watch:
    """Looks on at one run of a crawl."""

    def __init__(
        self, crawl: Crawl, clock: Clock | None = None, others: Callable[[], Sequence[Sights]] = lambda: ()
    ) -> None:
        self._clock = clock or Clock()
        self._folder = crawl.folder.path
        self._sightings = Sightings(self._folder / HOSTS)
        self._sampler = Sampler(crawl, self._sightings, self._clock, others)
        self._history = History(self._folder / HISTORY)
        self._obeying = Obeying(crawl)
        self._complaint = ""  # the last one
        self.last: Status | None = None

    def doors(self, others: OpenDoors) -> OpenDoors:
        """Doors by which it sees the visits and runs beside the engine, added to others."""

        def open_doors(context: Context) -> Doors:
            doors = others(context)
            return msgspec.structs.replace(
                doors, witnesses=(*doors.witnesses, self._sightings), beside=(*doors.beside, self._keep_on)
            )

        return open_doors

    async def _keep_on(self) -> None:
        written_at = saved_at = -inf
        try:
            while True:
                now = self._clock.monotonic()
                try:
                    if self._obey() or now - written_at >= STATUS_EVERY_S:
                        written_at = now
                        self._write()
                    if now - saved_at >= HOSTS_SAVED_EVERY_S:
                        saved_at = now
                        self._sightings.save()
                except (OSError, WeftError) as error:  # the disk is full, perhaps: a picture is not worth a crawl
                    self._complain(error)
                await asyncio.sleep(COMMANDS_EVERY_S)
        finally:
            self._finish()

    def _obey(self) -> bool:
        """Whether something was told to it, which whoever told it wants to see."""
        done = self._obeying.carry_out()
        self._sampler.commands.extendleft(done)
        return bool(done)

    def _write(self) -> None:
        if (status := self._sampler.sample()) is not None:
            self.last = status
            write_status(self._folder, status)
            self._history.add(moment_of(status, self._clock.wall()))

    def _finish(self) -> None:
        """The index files come next, which may take a while."""
        self.last = self._sampler.sample(State.FINISHING) or self.last
        if self.last is not None:
            with suppress(OSError, WeftError):  # as above; a full disk is told by whoever writes next
                write_status(self._folder, self.last)

    def _complain(self, error: Exception) -> None:
        if (words := str(error)) != self._complaint:
            self._complaint = words
            log.warning("the status cannot be written: %s", words)

    def end(self, summary: Summary) -> None:
        """The run has ended so."""
        if self.last is None:
            return
        self.last = ended(self.last, summary, self._clock.wall())
        with told_in_words(self._folder / NAME):
            self._sightings.save()
            write_status(self._folder, self.last)
