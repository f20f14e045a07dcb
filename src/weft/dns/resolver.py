"""Names to addresses, without blocking the loop and without asking for a name twice at once.

    host ─▶ in the cache?  in the hosts file?  an address itself?  being asked for?  ─▶ else ask

A busy name is renewed behind the scenes: the first look-up after its TTL gets the old addresses once more
and starts the query, so nobody waits for a name that is in use all the time. (Renewing it shortly before
would be in vain: c-ares keeps answers for their TTL, too, and would answer from there.)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from weft.clock import Clock
from weft.dns.cache import HOURS, CachedName, NameCache
from weft.dns.hosts_file import read_hosts
from weft.dns.server_address import checked_server
from weft.dns.spelling import addresses_in
from weft.errors import FetchError
from weft.types import Outcome

if TYPE_CHECKING:
    from weft.dns.name_servers import NameServers

SETTLED_TTL_S = 24 * HOURS  # for addresses and hosts-file names, which do not age
STALE_FOR_S = 60.0  # how long a busy name's old addresses serve while the new ones are asked for
BUSY_USES = 3  # a name looked up less often is not worth a query that nobody waits for


class HostAddresses(msgspec.Struct, frozen=True, gc=False):
    """The addresses of a host, IPv4 first."""

    addresses: tuple[str, ...]
    ttl_s: float
    expires_at: float  # wall time
    from_cache: bool


class DnsStatistics(msgspec.Struct, frozen=True):
    """What a resolver did so far."""

    hits: int  # answered at once: from the cache, the hosts file or the name itself
    misses: int
    joined: int  # waited for a query that was already under way
    queries: int  # names asked for; A and AAAA together are one
    renewed: int  # of these, busy names asked for behind the scenes
    not_found: int
    failures: int
    mean_query_ms: float
    cached_names: int
    replaced_names: int
    in_flight: int


class Resolver:
    """The resolver of one crawl. `servers` are "ip" or "ip:port", by default the system's."""

    def __init__(
        self,
        servers: Sequence[str] | None = None,
        *,
        clock: Clock,
        cache: NameCache | None = None,
        hosts: Mapping[str, tuple[str, ...]] | None = None,
        timeout_s: float = 10.0,
        ipv6: bool = True,
    ) -> None:
        self._servers = [checked_server(server) for server in servers or ()]
        self._timeout_s = timeout_s
        self._ipv6 = ipv6
        self._name_servers: NameServers | None = None  # from the first question on
        self._clock = clock
        self._cache = cache if cache is not None else NameCache(stale_for_s=STALE_FOR_S)
        self._hosts = read_hosts() if hosts is None else hosts
        self._closed = False
        # Names being asked for. Filled by `_ask`, emptied by `_look_up`; bounded by the hosts being resolved.
        self._in_flight: dict[str, asyncio.Task[CachedName | FetchError]] = {}
        self._hits = self._misses = self._joined = self._queries = self._renewed = 0
        self._not_found = self._failures = 0
        self._query_s = 0.0

    def known(self, host: str) -> HostAddresses | None:
        """The answer if it takes no waiting, else None; DNS_NOT_FOUND if the name is known not to exist."""
        now = self._clock.monotonic()
        cached = self._cache.get(host, now)
        if cached is None:
            settled = self._settled(host)
            self._hits += settled is not None
            return settled
        if now >= cached.expires_at:
            if cached.uses < BUSY_USES or self._closed:
                return None
            if host not in self._in_flight:
                self._renewed += 1
                self._ask(host)
        self._hits += 1
        return self._answer_from(host, cached, now, from_cache=True)

    async def resolve(self, host: str) -> HostAddresses:
        """The addresses of `host`; FetchError with DNS_NOT_FOUND or DNS_FAILED if there are none."""
        answer = self.known(host)
        if answer is not None:
            return answer
        task = self._in_flight.get(host)
        if task is not None:
            self._joined += 1
        elif self._closed:
            raise FetchError(Outcome.DNS_FAILED, "the resolver is closed")
        else:
            self._misses += 1
            task = self._ask(host)
        # Shielded: one caller's cancellation must not take the answer from the others.
        found = await asyncio.shield(task)
        if isinstance(found, FetchError):
            raise FetchError(found.outcome, found.detail)
        return self._answer_from(host, found, self._clock.monotonic(), from_cache=False)

    def forget(self, host: str) -> None:
        """Ask for a name again when it is looked up next."""
        self._cache.forget(host)

    def statistics(self) -> DnsStatistics:
        """Counts since the start."""
        return DnsStatistics(
            hits=self._hits,
            misses=self._misses,
            joined=self._joined,
            queries=self._queries,
            renewed=self._renewed,
            not_found=self._not_found,
            failures=self._failures,
            mean_query_ms=1000 * self._query_s / max(1, self._queries - len(self._in_flight)),
            cached_names=len(self._cache),
            replaced_names=self._cache.replaced,
            in_flight=len(self._in_flight),
        )

    async def close(self) -> None:
        """End the queries under way, for their waiters as DNS_FAILED, and let go of the sockets."""
        self._closed = True
        if self._name_servers is None:
            return
        while self._in_flight:
            self._name_servers.cancel()
            await asyncio.wait(list(self._in_flight.values()))
        await self._name_servers.close()

    def _settled(self, host: str) -> HostAddresses | None:
        """The answer for a host that no server needs to be asked about."""
        addresses = self._hosts.get(host) or addresses_in(host)
        if not addresses:
            return None
        return HostAddresses(addresses, SETTLED_TTL_S, self._clock.wall() + SETTLED_TTL_S, from_cache=True)

    def _answer_from(self, host: str, cached: CachedName, now: float, *, from_cache: bool) -> HostAddresses:
        if not cached.addresses:
            raise FetchError(Outcome.DNS_NOT_FOUND, host)
        expires_at = self._clock.wall() + cached.expires_at - now
        return HostAddresses(cached.addresses, cached.ttl_s, expires_at, from_cache)

    def _ask(self, host: str) -> asyncio.Task[CachedName | FetchError]:
        self._queries += 1
        if self._name_servers is None:
            from weft.dns.name_servers import NameServers  # only now: c-ares is not needed where hosts are addresses

            self._name_servers = NameServers(self._servers, timeout_s=self._timeout_s, ipv6=self._ipv6)
        task = asyncio.get_running_loop().create_task(self._look_up(host, self._name_servers), name=f"dns {host}")
        self._in_flight[host] = task
        return task

    async def _look_up(self, host: str, servers: NameServers) -> CachedName | FetchError:
        """Ask and remember. An error is returned: a task whose waiters are gone has nobody to raise it to."""
        started = self._clock.monotonic()
        try:
            addresses, ttl_s = await servers.ask(host)
        except FetchError as error:
            self._failures += 1
            return error
        finally:
            del self._in_flight[host]
            self._query_s += self._clock.monotonic() - started
        self._not_found += not addresses
        return self._cache.put(host, addresses, ttl_s, self._clock.monotonic())
