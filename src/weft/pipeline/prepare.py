"""Getting a host ready: its address, and the robots rules of an authority on it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from math import inf
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from weft.dns import addresses_in, permitted
from weft.errors import BadUrl, FetchError, HostParked, WeftError
from weft.fetch import after, release
from weft.fetch.dial import NO_CONNECTION
from weft.fetch.retry import Who
from weft.frontier import Clearance, Preparation
from weft.pipeline.context import Context
from weft.pipeline.doors import Owner
from weft.pipeline.network import Network
from weft.pipeline.pace import received_bytes_of
from weft.pipeline.robots_answer import ROBOTS_BODY_BYTES, asked_to_wait_s, row_of
from weft.robots import Access, RobotsRow, Rules, access_for, row_after, rules_of, with_rules
from weft.robots.by_host import RobotsByHost
from weft.state.keys import authority_key
from weft.types import Fetched, Outcome
from weft.url import canonicalize, host_of, origin_of, path_start, scheme_of, split, text_of_location

UNREACHABLE = "robots.txt is unreachable"
# By what they take, as far as that can be told: most hosts have a short file, or none, and all in memory have a place.
RULES_BYTES = 36 * 1024 * 1024
RULES_ENTRY_BYTES = 500
# A settled host is looked at again after this long at the latest, should its address have no longer life.
SHORTEST_CLEARANCE_S = 60.0

# Host, its addresses if they are known; to which of them the request may go.
TakeTurn = Callable[[str, tuple[str, ...]], AbstractAsyncContextManager[tuple[str, ...]]]


class Keeper(Protocol):
    """Archives what is learned on the way."""

    def keep_answer(self, host: str, addresses: tuple[str, ...], ttl_s: float) -> None:
        """What the name servers said."""

    def keep_robots(self, fetched: Fetched) -> None:
        """A robots.txt; the keeper releases it."""

    def robots_failed(self, url: str, address: str, outcome: Outcome) -> None:
        """No robots.txt came."""


_encode = msgspec.msgpack.Encoder().encode
_decode_row = msgspec.msgpack.Decoder(RobotsRow).decode


class Known(NamedTuple):
    """The rules of an authority, and by what they can be told from others."""

    rules: Rules
    expires_at: float
    access: Access
    body_hash: int
    size_bytes: int


class Prepared(NamedTuple):
    """What was found out of an authority."""

    clearance: Clearance
    has_new_rules: bool = False  # its robots.txt says something else than before, as far as this run knows


class RobotsUnreachable(WeftError):
    """robots.txt could not be read, so nothing of the authority may be fetched for now."""

    def __init__(self, row: RobotsRow, now: float) -> None:
        super().__init__(f"{UNREACHABLE} ({row.status or row.outcome})")
        self.wait_s = row.expires_at - now
        self.host_rest_s = row.asked_at + row.asked_rest_s - now  # the server has had enough, of whichever authority
        self.outcome = row.outcome  # RESPONSE: the server answered, but not as it should


class Preparer:
    """Looks up addresses and asks for robots.txt; keeps the rules at hand."""

    def __init__(self, context: Context, network: Network, owner: Owner, rules_bytes: int = RULES_BYTES) -> None:
        self._config = context.config
        self._owner = owner
        self.robots = RobotsByHost(context.config)
        self._state = context.state
        self._resolver = network.resolver
        self._fetcher = network.fetcher
        self._budget = network.budget
        self._counters = context.counters
        self._clock = context.clock
        self._look_ups = network.look_ups
        self._pace = network.pace
        # Filled by prepare; bound: `rules_bytes`, the least recently prepared leave.
        self._rules: OrderedDict[str, Known] = OrderedDict()
        self._rules_bytes, self._most_rules_bytes = 0, rules_bytes

    @property
    def rules_known(self) -> int:
        """Of how many authorities the rules are in memory."""
        return len(self._rules)

    def allows(self, authority: str, path: str) -> bool:
        """Whether the rules allow the path. The authority must have been prepared."""
        known = self._rules.get(authority)
        rules = known.rules if known is not None else self._rules_of(authority)
        return rules.forbidding_line(path) is None

    def forbids(self, url: str) -> str | None:
        """The line by which rules at hand forbid a URL, empty if they forbid it without one; None if they do not.

        What is not known, or not any more, is found out when its turn comes.
        """
        path_at = path_start(url)
        known = self._rules.get(url[:path_at])
        if known is None or (line := known.rules.forbidding_line(url[path_at:])) is None:
            return None
        return line if self._clock.wall() < known.expires_at else None

    def forbidding_line(self, url: str) -> str:
        """The line of robots.txt that forbids a URL; empty if there is none. The authority must have been prepared."""
        authority = origin_of(url)
        return self._rules_of(authority).forbidding_line(url[len(authority) :]) or ""

    def _rules_of(self, authority: str) -> Rules:
        known = self._rules.get(authority)
        if known is None:  # prepared, but long ago and by many others since
            stored = self._state.get("robots", authority_key(authority))
            assert stored is not None
            row = _decode_row(stored)
            known = self._keep(authority, row, self._read(row, authority, self._clock.wall()))
        return known.rules

    def _read(self, row: RobotsRow, authority: str, now: float) -> Rules:
        return rules_of(row, self._name_for(authority), now)

    def _name_for(self, authority: str) -> str:
        return self.robots.name_for(host_of(f"{authority}/"))

    def sitemaps(self, authority: str) -> tuple[str, ...]:
        """Where the authority's sitemaps are: as its robots.txt says, or else where they usually are."""
        if not scheme_of(authority).is_web:
            return ()
        known = self._rules.get(authority)
        return (known.rules.sitemaps if known else ()) or (f"{authority}/sitemap.xml",)

    def doubt(self, host: str) -> None:
        """Ask the name servers again, although they have just said that there is no such host."""
        self._resolver.forget(host)

    async def prepare(self, preparation: Preparation, turn: TakeTurn, keeper: Keeper) -> Prepared:
        """Find out what must be known before a URL of the authority is fetched.

        FetchError when there is no address, RobotsUnreachable when there are no rules, HostParked when its host is
        left meanwhile.
        """
        addresses, address_holds_s = await self._addresses_of(preparation.host, keeper)
        if not self.robots.has_say(f"{preparation.authority}/"):
            return Prepared(Clearance(addresses, address_holds_s))
        row = await self._robots(preparation.authority, addresses, turn, keeper)
        now = self._clock.wall()
        if row.access_at(now) is Access.UNREACHABLE:
            raise RobotsUnreachable(row, now)
        rules = self._read(row, preparation.authority, now)
        before = self._rules.get(preparation.authority)
        self._keep(preparation.authority, row, rules)
        is_news = before is None or (before.access, before.body_hash) != (row.access, hash(row.body))
        holds_s = min(address_holds_s, max(row.expires_at - now, SHORTEST_CLEARANCE_S))
        return Prepared(Clearance(addresses, holds_s, delay_s=rules.crawl_delay_s or 0.0), is_news)

    async def _addresses_of(self, host: str, keeper: Keeper) -> tuple[tuple[str, ...], float]:
        """Where the host may be asked, and for how long; nowhere if a proxy is told the name and looks it up."""
        if self._fetcher.asks_by_name:
            return permitted(host, addresses_in(host), allow_private=self._config.allow_private), inf
        async with self._look_ups:
            began = self._clock.monotonic()
            answer = await self._resolver.resolve(host)
        if not answer.from_cache:
            self._counters.count_stage("resolve", self._clock.monotonic() - began)
            keeper.keep_answer(host, answer.addresses, answer.ttl_s)
        addresses = permitted(host, answer.addresses, allow_private=self._config.allow_private)
        return addresses, max(answer.expires_at - self._clock.wall(), SHORTEST_CLEARANCE_S)

    async def _robots(self, authority: str, addresses: tuple[str, ...], turn: TakeTurn, keeper: Keeper) -> RobotsRow:
        stored = self._state.get("robots", authority_key(authority))
        previous = _decode_row(stored) if stored else None
        if previous is not None and (previous.is_fresh(self._clock.wall()) or self._outlasts(previous, authority)):
            return previous
        row = await self._ask(previous, f"{authority}/robots.txt", addresses, turn, keeper)
        row = with_rules(row, self._name_for(authority))
        batch = self._state.batch()
        batch.put("robots", authority_key(authority), _encode(row))
        self._state.write(batch)
        return row

    def _outlasts(self, row: RobotsRow, authority: str) -> bool:
        """A file whose own Crawl-delay is longer than it holds: asking again would be all that is ever asked."""
        now = self._clock.wall()
        delay_s = self._read(row, authority, now).crawl_delay_s or 0.0
        holds_s = row.expires_at - row.asked_at
        return row.access is Access.RULES and delay_s >= holds_s and row.asked_at <= now < row.asked_at + 2 * delay_s

    async def _ask(
        self, previous: RobotsRow | None, url: str, addresses: tuple[str, ...], turn: TakeTurn, keeper: Keeper
    ) -> RobotsRow:
        """Follow robots.txt wherever it is; the rules found hold for the first authority."""
        redirects, host = 0, host_of(url)
        # URLs and the cookies with them: what led back once leads back for ever. Those of others have other cookies.
        asked = set[tuple[str, bytes]]()
        while True:
            request = url, self._fetcher.cookies_for(url)
            try:
                fetched = await self._owner.fetched_elsewhere(url) if redirects else None
                if is_ours := fetched is None:
                    addresses = addresses if not redirects else (await self._addresses_of(host_of(url), keeper))[0]
                    fetched = await self._fetch(url, addresses, turn, keeper)
            except FetchError as error:
                return self._after_failure(previous, error)
            except HostParked:
                if host_of(url) == host:  # of which nothing was learned, least of all for when it is unblocked
                    raise
                return row_after(previous, Access.UNREACHABLE, self._clock.wall(), status=None)
            location = fetched.header(b"location")
            access = access_for(fetched.status, has_location=location is not None, redirects=redirects)
            row = self._row(previous, access, fetched) if access is not Access.FOLLOW else None
            if is_ours:
                asked.add(request)
                keeper.keep_robots(fetched)
            if row is not None:
                return row
            redirects += 1
            assert location is not None
            try:
                url = canonicalize(text_of_location(location), url)
                if (url, self._fetcher.cookies_for(url)) in asked:
                    raise BadUrl("it leads back")
            except BadUrl:
                return row_after(previous, Access.ALLOW_ALL, self._clock.wall(), status=fetched.status)

    async def _fetch(self, url: str, addresses: tuple[str, ...], turn: TakeTurn, keeper: Keeper) -> Fetched:
        """A robots.txt, in a turn of its host; in several, if not all addresses may be tried in one."""
        may_reuse = True
        tried: tuple[str, ...] = ()
        while True:
            try:
                async with turn(host_of(url), addresses) as tried:
                    fetched = await self._fetcher.fetch(
                        url, split(url), tried, max_body_bytes=ROBOTS_BODY_BYTES, may_reuse=may_reuse
                    )
            except FetchError as error:
                keeper.robots_failed(url, "".join(tried[:1]), error.outcome)
                self._counters.count_broken(self._receive(error.partial))
                if error.partial is not None:
                    release(error.partial, self._budget)
                if error.outcome in NO_CONNECTION and len(tried) < len(addresses):
                    addresses = tuple(address for address in addresses if address not in tried)
                elif error.on_kept:
                    may_reuse = False  # so it happens once at most
                else:
                    raise
            else:
                self._counters.count_response(fetched.status, self._receive(fetched))
                return fetched

    def _receive(self, fetched: Fetched | None) -> int:
        received_bytes = received_bytes_of(fetched)
        self._pace.receive(received_bytes, self._clock.monotonic())
        return received_bytes

    async def ask_once(self, url: str, turn: TakeTurn, keeper: Keeper) -> Fetched:
        """A robots.txt for somebody else, who follows it. FetchError when none comes."""
        addresses, _ = await self._addresses_of(host_of(url), keeper)
        fetched = await self._fetch(url, addresses, turn, keeper)
        body = fetched.body if fetched.spool is None else Path(fetched.spool).read_bytes()
        keeper.keep_robots(fetched)
        return msgspec.structs.replace(fetched, body=body, spool=None)

    def _after_failure(self, previous: RobotsRow | None, error: FetchError) -> RobotsRow:
        row = row_after(previous, Access.UNREACHABLE, self._clock.wall(), status=None, outcome=error.outcome)
        return self._scaled(row)

    def _row(self, previous: RobotsRow | None, access: Access, fetched: Fetched) -> RobotsRow:
        now = self._clock.wall()
        return self._scaled(row_of(previous, access, fetched, now), asked_to_wait_s(fetched, now))

    def _scaled(self, row: RobotsRow, asked_s: float = 0.0) -> RobotsRow:
        """The row with the wait that this crawl wants before a robots.txt that failed is asked for again.

        If the server could not be reached at all, its host rests as after any such failure, and that is wait enough.
        """
        if row.access is not Access.UNREACHABLE:
            return row
        scale = self._config.retry_wait_scale if row.outcome is Outcome.RESPONSE else 0.0
        wait_s = max((row.expires_at - row.asked_at) * scale, asked_s)
        refusal = after(row.status, 1, scale)
        rest_s = max(refusal.wait_s, asked_s) if refusal is not None and refusal.who is Who.HOST else 0.0
        return msgspec.structs.replace(row, expires_at=row.asked_at + wait_s, asked_rest_s=rest_s)

    def _keep(self, authority: str, row: RobotsRow, rules: Rules) -> Known:
        size_bytes = RULES_ENTRY_BYTES + (rules.size_bytes if row.access is Access.RULES else 0)
        if (before := self._rules.pop(authority, None)) is not None:
            self._rules_bytes -= before.size_bytes
        known = self._rules[authority] = Known(rules, row.expires_at, row.access, hash(row.body), size_bytes)
        self._rules_bytes += size_bytes
        while self._rules_bytes > self._most_rules_bytes and len(self._rules) > 1:
            self._rules_bytes -= self._rules.popitem(last=False)[1].size_bytes
        return known
