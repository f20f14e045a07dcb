"""What a person changes while a crawl runs. It takes effect at once, and is a setting of the crawl from then on.

Each change can be made twice without harm: a crawl that was killed in the middle makes it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from weft.config import CrawlConfig
from weft.fetch import Fetcher
from weft.frontier import BLOCKED, Frontier
from weft.pipeline.config_parts import fetch_config
from weft.pipeline.context import Context
from weft.pipeline.halts import Halt
from weft.pipeline.host_settings import excluding
from weft.pipeline.ledger import Ledger
from weft.pipeline.messages import AddSeed
from weft.pipeline.pace import Pace
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.rules import narrow_rules, remember_rules
from weft.pipeline.seeds import with_seeds_logins
from weft.pipeline.work import Work
from weft.types import FoundLink, Kind, Link
from weft.url import host_of, url_id


class Steering:
    """Changes the settings of one run, and holds its requests back while it is paused (`doors.Consent`)."""

    def __init__(
        self,
        context: Context,
        config: CrawlConfig,
        frontier: Frontier,
        ledger: Ledger,
        pace: Pace,
        fetcher: Fetcher,
        workers: ParseWorkers[Work],
        keep: Callable[[CrawlConfig], None],
    ) -> None:
        self._loop = context.loop
        self._log, self._clock = context.log, context.clock
        self._config = config
        self._frontier = frontier
        self._ledger = ledger
        self._pace = pace
        self._fetcher = fetcher
        self._workers = workers
        self._keep = keep  # the settings, durably

    # ── the door ───────────────────────────────────────────────────────────────────────────────────────

    def halt(self) -> Halt | None:
        """Nothing begins while it is paused."""
        return Halt.PAUSED if self._config.paused else None

    def may_end(self) -> bool:
        """A crawl that is paused waits for its person."""
        return not self._config.paused

    # ── the changes ────────────────────────────────────────────────────────────────────────────────────

    def pause(self, *, paused: bool) -> None:
        """Begin no request, or begin them again."""
        self._change(paused=paused)

    def set_rate(self, pages_per_s: float | None) -> None:
        """Pages a second in all; None: as many as manners allow."""
        self._change(rate=pages_per_s)
        self._pace.share(pages_per_s)

    def set_delay(self, host: str, seconds: float | None) -> None:
        """Of one host; None: the crawl's."""
        delays = {name: delay for name, delay in self._config.host_delays if name != host}
        if seconds is not None:
            delays[host] = seconds
        self._change(host_delays=tuple(delays.items()))
        self._frontier.residents.set_delay(host, seconds)

    def block(self, host: str) -> None:
        """Ask a host for nothing more; what is queued of it stays there."""
        self._change(blocked_hosts=tuple(dict.fromkeys((*self._config.blocked_hosts, host))))
        self._frontier.residents.block(host)
        self._frontier.park(host, 0.0, BLOCKED)

    def unblock(self, host: str) -> None:
        """The host has its turns again."""
        self._change(blocked_hosts=tuple(name for name in self._config.blocked_hosts if name != host))
        self._frontier.residents.unblock(host)

    def add_seeds(self, urls: Iterable[str]) -> None:
        """Begin at these, too; they widen the scope as the first ones made it."""
        asked = with_seeds_logins(msgspec.structs.replace(self._config, seeds=tuple(urls)))
        seeds = tuple(dict.fromkeys((*self._config.seeds, *asked.seeds)))
        new = range(len(self._config.seeds), len(seeds))
        self._change(seeds=seeds, auth=asked.auth)
        self._fetcher.log_in(fetch_config(self._config))
        self._log.seeds = seeds
        batch = self._ledger.batch()
        found = (FoundLink(url_id(seeds[n]), host_of(seeds[n]), Link(seeds[n], 0, Kind.SEED, seed=n)) for n in new)
        widening = self._ledger.schedule(batch, found)
        remember_rules(batch, self._config)
        self._ledger.write(batch)
        for url in widening:
            self._workers.pool.broadcast(AddSeed(url))

    def exclude(self, pattern: str) -> None:
        """Visit no URL like this; what is queued of it is refused when its turn comes. BadInput changes nothing."""
        config = excluding(self._config, pattern)
        self._change(exclude=config.exclude, hosts=config.hosts)
        narrow_rules(self._ledger, self._config)

    def note(self, number: str, words: str, *, unless_noted: bool) -> float | None:
        """Have it in the log that this was asked for, once; returns when, or None if it stands there."""
        if unless_noted and self._log.has_command(number):
            return None
        now = self._clock.wall()
        self._log.command(number, words, now)
        return now

    def _change(self, **fields: object) -> None:
        config = msgspec.structs.replace(self._config, **fields)
        self._keep(config)
        self._config = config
        self._loop.pump_soon()
