"""What a person may tell a crawl that runs: the values that lie in state/commands, and their words in the log."""

from __future__ import annotations

import msgspec


class Pause(msgspec.Struct, frozen=True, tag="pause"):
    """Begin no request until further notice."""


class Resume(msgspec.Struct, frozen=True, tag="resume"):
    """Go on after a pause."""


class SetRate(msgspec.Struct, frozen=True, tag="rate"):
    """Fetch at most this many pages a second in all; None: as many as manners allow."""

    pages_per_s: float | None


class SetDelay(msgspec.Struct, frozen=True, tag="delay"):
    """Wait at least this long between two requests to a host; None: as the crawl's settings say."""

    host: str
    seconds: float | None


class Block(msgspec.Struct, frozen=True, tag="block"):
    """Ask a host for nothing more."""

    host: str


class AddSeeds(msgspec.Struct, frozen=True, tag="seeds"):
    """Begin at these URLs, too."""

    urls: list[str]


class Exclude(msgspec.Struct, frozen=True, tag="exclude"):
    """Visit no URL like this."""

    pattern: str


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """End in order, so that it can be resumed."""


Command = Pause | Resume | SetRate | SetDelay | Block | AddSeeds | Exclude | Stop
