"""Engine 0's word to all engines, its own part among them: go, more pages, the end. It hears, and answers at once."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from weft.config import CrawlConfig
from weft.engines.ending import Rounds
from weft.engines.grants import Pot
from weft.engines.messages import Answer, End, GiveBack, Go, Grant, Now, Probe, Ready, Stop, ToCoordinator, ToEngine
from weft.pipeline.engine import Ending

INTERRUPTED = Ending.INTERRUPTED.value


class Coordinator:
    """Knows how each engine stands."""

    def __init__(
        self,
        config: CrawlConfig,
        engines: int,
        pages_before: int,
        send: Callable[[int, ToEngine], None],
        is_paused: Callable[[], bool],
        *,
        settles: bool = False,
    ) -> None:
        self._engines = range(engines)
        self._max_bytes = config.max_bytes
        self._send = send
        self._is_paused = is_paused
        self._settles = settles
        self._pot = Pot(None if config.max_pages is None else max(0, config.max_pages - pages_before), engines)
        self._rounds = Rounds(engines)
        self._ready: set[int] = set()
        self._now = [Now() for _ in self._engines]
        self._has_ended = False

    def hear(self, engine: int, message: ToCoordinator) -> None:
        """An engine tells how it stands."""
        match message:
            case Ready():
                self._ready.add(engine)
                if len(self._ready) == len(self._engines) and not self._settles:
                    self._tell_all(Go())
            case Now():
                self._now[engine] = message
                if message.wants_pages:
                    self._grant(engine, self._pot.ask(engine))
            case GiveBack(pages):
                for other, more in self._pot.give_back(engine, pages):
                    self._grant(other, more)
            case Answer():
                if not message.is_idle:
                    self._now[engine] = msgspec.structs.replace(self._now[engine], is_idle=False)
                if self._rounds.hear(engine, message):
                    self._end(is_limit=False)
                    return
        self.look()

    def look(self) -> None:
        """Whether all of it is over, or seems to be."""
        if self._has_ended:
            return
        if self._is_limit_reached():
            self._end(is_limit=True)
        elif not all(now.is_idle for now in self._now):
            self._rounds.busy()
        elif (self._settles or not self._is_paused()) and (number := self._rounds.begin()) is not None:
            self._tell_all(Probe(number))

    def _is_limit_reached(self) -> bool:
        if self._settles:  # whatever was received: no request begins
            return False
        if self._max_bytes is not None and sum(now.bytes for now in self._now) >= self._max_bytes:
            return True
        return (
            self._pot.left == 0
            and any(now.is_at_limit for now in self._now)
            and all(now.is_at_limit or now.is_idle for now in self._now)
            and all(now.used >= given for now, given in zip(self._now, self._pot.given, strict=True))
        )

    def _grant(self, engine: int, pages: int) -> None:
        if pages:
            self._send(engine, Grant(pages))

    def _end(self, *, is_limit: bool) -> None:
        self._has_ended = True
        self._tell_all(Stop(INTERRUPTED) if self._settles else End(is_limit))

    def _tell_all(self, message: ToEngine) -> None:
        for engine in self._engines:
            self._send(engine, message)
