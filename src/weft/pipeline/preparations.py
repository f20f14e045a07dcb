"""Hosts that are being made ready, and the requests for robots.txt on the way; what is learned is archived."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from weft.errors import FetchError, HostGivenUp, HostParked
from weft.frontier import Frontier, Preparation, SideTurn
from weft.pipeline.config_parts import manners_of
from weft.pipeline.context import Context
from weft.pipeline.doors import Owner
from weft.pipeline.ledger import Ledger
from weft.pipeline.parse_workers import ParseWorkers
from weft.pipeline.prepare import Preparer, RobotsUnreachable
from weft.pipeline.readmission import Readmission
from weft.pipeline.rests import NO_ADDRESS, Rests
from weft.pipeline.work import Work, dns_job, robots_job
from weft.types import Fetched, FoundLink, Kind, Link, Outcome
from weft.url import LinkResolver, host_of, url_id


class Preparations:
    """Under way at the moment."""

    def __init__(
        self,
        context: Context,
        owner: Owner,
        ledger: Ledger,
        frontier: Frontier,
        preparer: Preparer,
        readmission: Readmission,
        rests: Rests,
        workers: ParseWorkers[Work],
    ) -> None:
        self._clock = context.clock
        self._loop = context.loop
        self._manners = manners_of(context.config)
        self._owner = owner
        self._wants_sitemaps = context.config.sitemaps
        self._ledger = ledger
        self._frontier = frontier
        self._preparer = preparer
        self._readmission = readmission
        self._rests = rests
        self._workers = workers
        self._tasks: set[asyncio.Task[None]] = set()  # filled by begin, emptied as they end; bound: hosts
        self.asking = 0  # requests for robots.txt
        self.asked = 0  # that have ended

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, preparation: Preparation) -> None:
        """Make an authority ready."""
        task = self._loop.spawn(self._prepare(preparation))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def give(self, turn: SideTurn) -> None:
        """A request for robots.txt may be made now."""
        self.asking += 1
        turn.given.set_result(None)

    def cancel(self) -> None:
        """Give up what is under way."""
        for task in tuple(self._tasks):
            task.cancel()

    async def _prepare(self, preparation: Preparation) -> None:
        host, authority = preparation.host, preparation.authority
        try:
            clearance, has_new_rules = await self._preparer.prepare(preparation, self._side_turn, self)
        except RobotsUnreachable as error:
            self._rests.without_robots(preparation, error)
        except FetchError as error:
            if error.outcome not in NO_ADDRESS:  # else each of its URLs has a line
                self._ledger.log.look_up_failed(host, error.outcome, self._clock.wall())
            self._rests.without_address(preparation, error.outcome)
        except (HostGivenUp, HostParked):
            self._frontier.fail_preparation(host, authority)
        else:
            if has_new_rules:
                await self._readmit(authority)
            if clearance.delay_s > self._manners.delay_of(host):
                await self._owner.asks_for_delay(host, clearance.delay_s)
            self._frontier.clear(host, authority, clearance)
            if self._wants_sitemaps and authority in self._ledger.scope.authorities:
                self._schedule_sitemaps(authority)
        self._loop.pump_soon()

    async def _readmit(self, authority: str) -> None:
        """URLs that were forbidden may be allowed now."""

        def allows(url: str) -> bool:
            return self._preparer.allows(authority, url[len(authority) :])

        for _ in self._readmission.of_authority(authority, allows):
            await asyncio.sleep(0)

    def _schedule_sitemaps(self, authority: str) -> None:
        batch = self._ledger.batch()
        for named in self._preparer.sitemaps(authority):
            if (url := LinkResolver(f"{authority}/").resolve(named)) is not None:
                link = Link(url, 0, Kind.SITEMAP, f"{authority}/robots.txt")
                self._ledger.schedule(batch, [FoundLink(url_id(url), host_of(url), link)])
        self._ledger.write(batch)

    @asynccontextmanager
    async def _side_turn(self, host: str, addresses: tuple[str, ...]) -> AsyncIterator[tuple[str, ...]]:
        """A request outside the queue, within the turn of its host and of those addresses that it may go to."""
        turn = SideTurn(host, addresses, self._loop.promise())
        self._frontier.ask_for_turn(turn)
        self._loop.pump_soon()
        await turn.given
        began = self._clock.monotonic()
        try:
            yield turn.addresses
        finally:
            self.asking -= 1
            self.asked += 1
            # No sign that the host is well: a robots.txt may redirect to where it cannot be had, for ever.
            self._frontier.release(turn, answered=False, waited_s=self._clock.monotonic() - began)
            self._loop.pump_soon()

    async def robots_for_others(self, url: str) -> Fetched:
        """A robots.txt on one of our hosts, for others that were redirected there. FetchError when none comes."""
        return await self._preparer.ask_once(url, self._side_turn, self)

    def keep_answer(self, host: str, addresses: tuple[str, ...], ttl_s: float) -> None:
        """Archive what the name servers said."""
        self._workers.submit(dns_job(host, addresses, ttl_s, self._clock.wall()))

    def keep_robots(self, fetched: Fetched) -> None:
        """Archive a robots.txt."""
        self._workers.submit(robots_job(fetched))

    def robots_failed(self, url: str, address: str, outcome: Outcome) -> None:
        """No robots.txt came: nothing to archive, but a request all the same."""
        self._ledger.log.robots_failed(url, address, outcome, self._clock.wall())
