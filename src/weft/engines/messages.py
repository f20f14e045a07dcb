"""What the engines of a crawl say to each other."""

from __future__ import annotations

from typing import Any

import msgspec

from weft.config import CrawlConfig
from weft.engines.cpu import Cpu
from weft.folder.crawl_log import LogLine
from weft.live.sightings import Sights
from weft.pipeline.progress import Progress
from weft.types import Fetched, FoundLink, Outcome

# ── from engine 0 to the others ────────────────────────────────────────────────────────────────────────


class Begin(msgspec.Struct, frozen=True, tag=True):
    """The first message: which engine it is, of how many, and what of the settings is its own."""

    folder: str
    number: int
    engines: int
    config: CrawlConfig
    retry_failed: bool
    settles: bool  # no request begins: only what was on its way arrives


class Go(msgspec.Struct, frozen=True, tag=True):
    """All engines are there: requests may begin."""


class Grant(msgspec.Struct, frozen=True, tag=True):
    """More pages that this engine may fetch."""

    pages: int


class Probe(msgspec.Struct, frozen=True, tag=True):
    """Is there something to do?"""

    round: int


class End(msgspec.Struct, frozen=True, tag=True):
    """The crawl is over."""

    is_limit: bool  # by a limit


class Stop(msgspec.Struct, frozen=True, tag=True):
    """Begin nothing more."""

    ending: str


class Steer(msgspec.Struct, frozen=True, tag=True):
    """What a person changes: a method of `Steering`, and its arguments."""

    name: str
    arguments: dict[str, Any]


# ── from the others to engine 0 ────────────────────────────────────────────────────────────────────────


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The engine has its database, and waits for `Go`."""


class Now(msgspec.Struct, frozen=True, tag=True):
    """How an engine stands; said when it changes."""

    is_idle: bool = False  # nothing is left to do, and all links for others are with them
    is_at_limit: bool = False  # nothing is under way, and all pages that were granted are fetched
    wants_pages: bool = False
    used: int = 0  # of the pages granted, if they are limited
    bytes: int = 0  # received over all runs, if they are limited


class GiveBack(msgspec.Struct, frozen=True, tag=True):
    """Pages that were granted, and are not needed."""

    pages: int


class Answer(msgspec.Struct, frozen=True, tag=True):
    """To a probe."""

    round: int
    is_idle: bool
    sent: int  # rows, to all other engines
    received: int


class Look(msgspec.Struct, frozen=True, tag=True):
    """How an engine's part of the crawl stands, for who looks on."""

    progress: Progress
    sights: Sights
    cpu: Cpu
    items: int  # that functions have made


class Trouble(msgspec.Struct, frozen=True, tag=True):
    """A request brought no response."""

    line: LogLine


class Said(msgspec.Struct, frozen=True, tag=True):
    """A record of the program's log."""

    logger: str
    level: int
    words: str


class Failed(msgspec.Struct, frozen=True, tag=True):
    """An error ended the engine."""

    error: str  # the name of its class, if it is one of weft's that a person can do something about
    words: str


class Ended(msgspec.Struct, frozen=True, tag=True):
    """The engine's run is over, its database closed."""

    ending: str
    parked: int
    parked_hosts: dict[str, str]
    pages_per_s: float
    cpu: Cpu


# ── between two of them ────────────────────────────────────────────────────────────────────────────────


class OutboxRow(msgspec.Struct, array_like=True):
    """What one commit found for another engine."""

    found: list[FoundLink]
    scope: list[str]  # redirected seeds, by which the scope grows

    def __bool__(self) -> bool:
        return bool(self.found or self.scope)


class Links(msgspec.Struct, frozen=True, tag=True):
    """Rows of the outbox, up to this number."""

    last: int
    rows: list[bytes]


class Taken(msgspec.Struct, frozen=True, tag=True):
    """All rows up to this number are safe on the receiver's disk."""

    last: int


class Ask(msgspec.Struct, frozen=True, tag=True):
    """Fetch a robots.txt on one of your hosts."""

    number: int
    url: str


class Answered(msgspec.Struct, frozen=True, tag=True):
    """What came of it; neither: the host is left for another run."""

    number: int
    fetched: Fetched | None = None
    outcome: Outcome | None = None
    detail: str = ""


ToEngine = Begin | Go | Grant | Probe | End | Stop | Steer
ToPart = Go | Grant | Probe | End  # of these, what its part in the crawl is to know
ToCoordinator = Ready | Now | GiveBack | Answer
FromEngine = Ready | Now | GiveBack | Answer | Look | Trouble | Said | Failed | Ended
BetweenEngines = Links | Taken | Ask | Answered
