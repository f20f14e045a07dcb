"""What a person changes while several engines run: each makes the change, and the settings have it once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from weft.config import CrawlConfig
from weft.engines.messages import Steer
from weft.engines.number import share_of_rate
from weft.pipeline.steering import Steering

# Settings that are the same in all engines.
_SHARED = ("paused", "host_delays", "blocked_hosts", "seeds", "auth", "exclude", "hosts")


class SharedSteering(Steering):
    """As `Steering`, of all engines."""

    def __init__(
        self,
        own: Steering,
        engines: int,
        tell_others: Callable[[Steer], None],
        keep_rate: Callable[[float | None], None],
    ) -> None:
        self._own = own
        self._engines = engines
        self._tell_others = tell_others
        self._keep_rate = keep_rate

    def pause(self, *, paused: bool) -> None:
        """Begin no request, or begin them again."""
        self._tell_all("pause", paused=paused)

    def set_rate(self, pages_per_s: float | None) -> None:
        """Pages a second in all, of which each engine has its share."""
        self._keep_rate(pages_per_s)
        self._tell_all("set_rate", pages_per_s=share_of_rate(pages_per_s, self._engines))

    def set_delay(self, host: str, seconds: float | None) -> None:
        """Of one host; None: the crawl's."""
        self._tell_all("set_delay", host=host, seconds=seconds)

    def block(self, host: str) -> None:
        """Ask a host for nothing more."""
        self._tell_all("block", host=host)

    def unblock(self, host: str) -> None:
        """The host has its turns again."""
        self._tell_all("unblock", host=host)

    def add_seeds(self, urls: Iterable[str]) -> None:
        """Begin at these, too."""
        self._tell_all("add_seeds", urls=list(urls))

    def exclude(self, pattern: str) -> None:
        """Visit no URL like this."""
        self._tell_all("exclude", pattern=pattern)

    def note(self, number: str, words: str, *, unless_noted: bool) -> float | None:
        """Have it in the log that this was asked for, once."""
        return self._own.note(number, words, unless_noted=unless_noted)

    def _tell_all(self, name: str, **arguments: Any) -> None:
        getattr(self._own, name)(**arguments)  # first here, where it is kept: what is wrong is told before all hear it
        self._tell_others(Steer(name, arguments))


def with_changes(whole: CrawlConfig, part: CrawlConfig) -> CrawlConfig:
    """The crawl's settings after those of engine 0 were changed."""
    return msgspec.structs.replace(whole, **{name: getattr(part, name) for name in _SHARED})
