"""One page, fetched with the manners of a guest: no folder, no workers, no queue.

    URL ──▶ address, vetted ──▶ robots.txt ──▶ request ──▶ Page
     ▲                                            │
     └──────────────── redirect ◀─────────────────┘

Each URL on the way goes through all of it: its host's address is looked up and vetted, its authority's robots.txt is
asked for once, and cookies that are set on the way are sent back. Nothing is asked twice: what fails has failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.dns import addresses_in, permitted
from weft.errors import BadUrl, FetchError, GetFailed
from weft.fetch import Fetcher, Flaw, MemoryBudget, decode_response
from weft.page.leads import REDIRECTS
from weft.page.page import MAX_BODY_BYTES, Page
from weft.pipeline.config_parts import fetch_config
from weft.pipeline.robots_answer import ROBOTS_BODY_BYTES, row_of
from weft.pipeline.seeds import with_seeds_logins
from weft.robots import Access, Rules, access_for, rules_of
from weft.robots.by_host import RobotsByHost
from weft.types import Fetched, Kind, Outcome, PageRow, Refusal, RequestParts
from weft.url import LinkResolver, canonicalize, host_of, origin_of, split, text_of_location

if TYPE_CHECKING:
    from weft.dns import Resolver

MINUTES: Final = 60.0
MOST_S: Final = 5 * MINUTES  # for all of it, unless the settings say how long
_NEVER_SPOOLED: Final = 2**62  # all of a body stays in memory, where `max_body_bytes` bounds it


async def fetch_page(url: str, config: CrawlConfig, clock: Clock | None = None) -> Page:
    """Fetch one page, by those of the settings that concern it. GetFailed if no answer comes, or it must not be asked.

    An answer of any status is a page.
    """
    config = with_seeds_logins(msgspec.structs.replace(config, seeds=(url,)))
    limit_s = MOST_S if config.max_time_s is None else config.max_time_s
    guest = Guest(config, clock or Clock())
    try:
        async with asyncio.timeout(limit_s):
            return await guest.page(config.seeds[0])
    except TimeoutError:
        raise GetFailed(config.seeds[0], Outcome.TOO_SLOW, f"it took longer than {limit_s:g} s") from None
    finally:
        await guest.close()


async def _nothing(_: object) -> None:
    pass


class Guest:
    """Who asks for the page. One who belongs to a crawl asks by its means, and tells it of each answer."""

    def __init__(
        self,
        config: CrawlConfig,
        clock: Clock,
        fetcher: Fetcher | None = None,
        resolver: Resolver | None = None,
        told: Callable[[Fetched], Awaitable[None]] = _nothing,
        may_ask: Callable[[str], Awaitable[None]] = _nothing,
    ) -> None:
        self._config = config
        self._clock = clock
        self._told = told
        self._may_ask = may_ask  # waits until a request for this URL may begin
        self._robots = RobotsByHost(config)
        self._fetcher = fetcher or _fetcher(config, clock)
        self._resolver = resolver  # where a host is an address, no name is asked for
        self._rules: dict[str, Rules] = {}  # by authority; bound: redirects

    async def close(self) -> None:
        """All connections are given up."""
        await self._fetcher.close()
        if self._resolver is not None:
            await self._resolver.close()

    async def page(self, url: str) -> Page:
        """The page where a URL leads."""
        via, redirects = "", 0
        while True:
            fetched = await self.ask(url)
            target = redirect_in(url, fetched)
            if target is None:
                return page_of(fetched, via, redirects)
            redirects += 1
            if redirects > self._config.max_redirects:
                raise GetFailed(url, Refusal.TOO_MANY_REDIRECTS, f"more than {redirects - 1:,} redirects in a row")
            via, url = url, target

    async def ask(self, url: str, parts: RequestParts | None = None, max_body_bytes: int | None = None) -> Fetched:
        """One request, if robots.txt allows it, and its answer."""
        await self._ask_permission(url)
        return await self._fetch(url, max_body_bytes, parts=parts)

    def asked_delay_s(self, url: str) -> float:
        """How long its robots.txt wants to be left alone between two requests."""
        rules = self._rules.get(origin_of(url))
        return (rules.crawl_delay_s or 0.0) if rules is not None else 0.0

    async def _ask_permission(self, url: str) -> None:
        if not self._robots.has_say(url):
            return
        authority = origin_of(url)
        if authority not in self._rules:
            self._rules[authority] = await self._rules_of(authority, url)
        verdict = self._rules[authority].verdict(url[len(authority) :])
        if not verdict.allowed:
            line = f" ({verdict.line_text})" if verdict.line_text else ""
            raise GetFailed(url, Refusal.ROBOTS, f"{authority}/robots.txt forbids it{line}")

    async def _rules_of(self, authority: str, wanted: str) -> Rules:
        """What must be known before the wanted URL; found where robots.txt redirects to, if it does."""
        asked = url = f"{authority}/robots.txt"
        redirects = 0
        while True:
            fetched = await self._fetch(url, ROBOTS_BODY_BYTES, wanted)
            try:
                location = fetched.header(b"location")
                access = access_for(fetched.status, has_location=location is not None, redirects=redirects)
                if access is Access.UNREACHABLE:
                    why = f"{asked} cannot be read (status {fetched.status}), so nothing may be asked for"
                    raise GetFailed(wanted, Refusal.ROBOTS, why)
                try:
                    if access is Access.FOLLOW and location is not None:
                        url = canonicalize(text_of_location(location), url)
                except BadUrl:
                    access = Access.ALLOW_ALL
                if access is not Access.FOLLOW:
                    now = self._clock.wall()
                    return rules_of(row_of(None, access, fetched, now), self._robots.name_for(host_of(wanted)), now)
            finally:
                self._fetcher.release(fetched)
            redirects += 1

    async def _fetch(
        self, url: str, max_body_bytes: int | None = None, wanted: str = "", parts: RequestParts | None = None
    ) -> Fetched:
        """One request, on the way to what is wanted.

        A kept connection that turns out to be closed is no failure: a new one is made.
        """
        may_reuse = True
        while True:
            try:
                await self._may_ask(url)
                addresses = await self._addresses_of(host_of(url))
                fetched = await self._fetcher.fetch(
                    url, split(url), addresses, max_body_bytes=max_body_bytes, may_reuse=may_reuse, parts=parts
                )
                await self._told(fetched)
                return fetched
            except FetchError as error:
                if error.partial is not None:
                    self._fetcher.release(error.partial)
                if not (error.on_kept and may_reuse):
                    raise GetFailed(wanted or url, error.outcome, error.detail) from error
                may_reuse = False

    async def _addresses_of(self, host: str) -> tuple[str, ...]:
        addresses = addresses_in(host)
        if not addresses and not self._fetcher.asks_by_name:
            addresses = (await self._names().resolve(host)).addresses
        return permitted(host, addresses, allow_private=self._config.allow_private)

    def _names(self) -> Resolver:
        if self._resolver is None:
            from weft.dns import Resolver

            self._resolver = Resolver(self._config.dns_servers, clock=self._clock)
        return self._resolver


def redirect_in(url: str, fetched: Fetched) -> str | None:
    """Where the answer sends to; None if it is the page."""
    location = fetched.header(b"location")
    if fetched.status not in REDIRECTS or location is None:
        return None
    target = LinkResolver(url).resolve(text_of_location(location))
    if target is None:
        raise GetFailed(url, Refusal.SCHEME, "it redirects to what is no URL that weft fetches")
    return target


def _fetcher(config: CrawlConfig, clock: Clock) -> Fetcher:
    most_bytes = min(config.max_body_bytes, MAX_BODY_BYTES)  # a page has no more
    fetching = msgspec.structs.replace(fetch_config(config), max_body_bytes=most_bytes, spool_over_bytes=_NEVER_SPOOLED)
    return Fetcher(fetching, MemoryBudget(_NEVER_SPOOLED), Path(), clock)


def page_of(fetched: Fetched, via: str = "", redirects: int = 0) -> Page:
    """What a person sees of an answer."""
    is_cut = decode_response(fetched, MAX_BODY_BYTES).flaw is Flaw.OVER_LIMIT  # a short body may hold a long page
    row = PageRow(
        fetched.url,
        fetched.status,
        fetched.started_at,
        0,
        mime=fetched.media_type,
        body_bytes=fetched.body_bytes,
        via=via,
        kind=Kind.SEED,
        redirects=redirects,
        truncated=fetched.truncated or ("length" if is_cut else ""),
        address=fetched.address,
        timing=fetched.timing,
    )
    return Page(row, lambda: fetched)
