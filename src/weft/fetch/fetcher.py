"""The fetcher: takes a connection from the pool or opens one, has an exchange on it, returns a Fetched."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from weft.clock import Clock
from weft.errors import DiskFull, FetchError, FolderError
from weft.fetch.audience import without_body, without_secrets
from weft.fetch.body import Body, MemoryBudget, SpoolFolder, release
from weft.fetch.conditional import Validators
from weft.fetch.config import FetchConfig
from weft.fetch.connect import Connector
from weft.fetch.connection import Connection
from weft.fetch.cookie_file import read_cookie_file
from weft.fetch.cookies import CookieStore, fingerprint
from weft.fetch.dial import MakeConnection
from weft.fetch.exchange import Exchange, Refuses, Watched
from weft.fetch.pool import Pool
from weft.fetch.request import RequestWriter, headers_in
from weft.fetch.schemes import Means, NewSchemeFetcher, SchemeFetcher, Wanted
from weft.members import RESPONSE
from weft.types import Fetched, Outcome, RequestParts
from weft.url import Target, split

_STANDSTILL_S = 1.0
NOT_PERMITTED: Final = "nothing may be sent any more"


def _ftp() -> NewSchemeFetcher:
    from weft.fetch.ftp import FtpFetcher  # only then: most crawls meet none, and their first request waits for imports

    return FtpFetcher


_OTHER_SCHEMES: Final[dict[str, Callable[[], NewSchemeFetcher]]] = {"ftp": _ftp}


class FetchStatistics(NamedTuple):
    """Counts since the start, but for the first three, which are now."""

    active: int  # exchanges under way
    open: int  # connections, idle ones included
    idle: int
    new: int
    reused: int
    stale: int  # reused ones that ended before a byte of the answer, or had something else


class Fetcher:
    """Fetches URLs over HTTP/1.1, and those of other schemes by who knows how (`fetch.schemes`).

    Any number of `fetch` calls may be under way at once, on one event loop.
    BadInput when something in the config cannot be used.
    """

    def __init__(self, config: FetchConfig, budget: MemoryBudget, spool_dir: Path, clock: Clock) -> None:
        self._config = config
        self._budget = budget
        self._clock = clock
        self._spool_folder = SpoolFolder(spool_dir)
        self._cookies = _cookie_store(config, clock)
        self._write_requests_by(config)
        self._connector = Connector(config)
        self._route = self._connector.route
        self._pool: Pool[Connection] = Pool(
            config.max_idle_connections,
            # A proxy is one place for all plain hosts.
            config.max_idle_connections if config.proxy else config.max_idle_connections_per_host,
            config.idle_connection_timeout_s,
        )
        self._others: dict[str, SchemeFetcher] = {}  # filled by _other, each with the first URL of its scheme
        self._login = config  # whose seeds and logins hold
        self._open: set[Connection] = set()
        self._active: set[Watched] = set()
        self._connecting: set[asyncio.Timeout] = set()  # connections that are being made, where they may be abandoned
        self._sweep_timer: asyncio.TimerHandle | None = None
        self._sweep_due_s = 0.0
        self._sweep_put_off = False
        self._all_closed: asyncio.Event | None = None
        # Asked before each connection and each request, and when an answer has come; None: always.
        self.may_send: Callable[[], bool] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._new = 0
        self._reused = 0
        self._stale = 0

    def log_in(self, config: FetchConfig) -> None:
        """From now on, seeds and logins are these."""
        self._login = config
        self._write_requests_by(config)
        for other in self._others.values():
            other.log_in(config)

    def _write_requests_by(self, config: FetchConfig) -> None:
        self._requests = RequestWriter(config)
        self._hides_secrets = not config.archive_secrets and (self._requests.has_secrets or self._cookies is not None)

    @property
    def asks_by_name(self) -> bool:
        """Whether a proxy looks names up: then `fetch` needs no addresses."""
        return self._route.by_name

    def fetch(
        self,
        url: str,
        target: Target,
        addresses: Sequence[str],
        *,
        max_body_bytes: int | None = None,
        validators: Validators | None = None,
        may_reuse: bool = True,
        parts: RequestParts | None = None,
        refuses: Refuses | None = None,
    ) -> Coroutine[Any, Any, Fetched]:
        """Ask for the target at one of these addresses, the best first. FetchError when no whole response comes.

        Nothing is ever connected to but these IP addresses, or the proxy where there is one. With validators the
        response may be a 304. Not to `may_reuse` is to take a new connection: after a FetchError that was `on_kept`.
        `refuses` is asked with the head and as the body comes in: what it does not want is not received any further.
        What is sent with `parts` always takes a new one: on a kept one that ends nobody knows whether it was read.
        The body's memory or spool file, also that of FetchError.partial, is the caller's: see `release`.
        """
        if isinstance(addresses, str):
            raise ValueError(f"{addresses!r} is one address, not a list of them")
        fetching = self._fetch(url, target, addresses, max_body_bytes, validators, may_reuse, parts, refuses)
        return fetching if self.may_send is None else self._while_permitted(fetching)

    async def _while_permitted(self, fetching: Coroutine[Any, Any, Fetched]) -> Fetched:
        """A fetch that ends without an answer once nothing may be sent any more; it counts as if it was never made."""
        assert self.may_send is not None
        if not self.may_send():
            fetching.close()
            raise FetchError(Outcome.CLOSED, NOT_PERMITTED, on_kept=True)
        try:
            fetched = await fetching
        except FetchError as error:
            if self.may_send():
                raise
            if error.partial is not None:
                release(error.partial, self._budget)
            raise FetchError(Outcome.CLOSED, NOT_PERMITTED, on_kept=True) from error
        if self.may_send():
            return fetched
        release(fetched, self._budget)
        raise FetchError(Outcome.CLOSED, NOT_PERMITTED, on_kept=True)

    def abandon(self) -> None:
        """Close all connections. What is under way ends now; whoever does so no longer permits it."""
        for connection in list(self._open):
            connection.abort()
        connecting, self._connecting = self._connecting, set()
        for limit in connecting:
            limit.reschedule(0.0)

    async def _while_not_abandoned(self, connecting: Awaitable[Connection]) -> Connection:
        try:
            async with asyncio.timeout(None) as limit:
                self._connecting.add(limit)
                try:
                    return await connecting
                finally:
                    self._connecting.discard(limit)
        except TimeoutError as error:
            raise FetchError(Outcome.CLOSED, NOT_PERMITTED) from error

    async def _fetch(
        self,
        url: str,
        target: Target,
        addresses: Sequence[str],
        max_body_bytes: int | None,
        validators: Validators | None,
        may_reuse: bool,
        parts: RequestParts | None,
        refuses: Refuses | None,
    ) -> Fetched:
        limit_bytes = self._config.max_body_bytes if max_body_bytes is None else max_body_bytes
        if target.scheme in _OTHER_SCHEMES:
            other = self._others.get(target.scheme) or self._other(target.scheme)
            return await other.fetch(Wanted(url, target, addresses, limit_bytes, validators, may_reuse))
        cookies = b"" if self._cookies is None else self._cookies.header_for(target)
        if parts is None:
            request = self._requests.get(target, validators, cookies)
        else:
            request = self._requests.of(target, parts, validators, cookies)
            may_reuse = may_reuse and parts.method == "GET"
        connection = self._take_idle(target, addresses) if may_reuse else None
        if connection is not None:
            self._reused += 1
            exchange = self._new_exchange(request, limit_bytes, refuses=refuses)
            await self._run(exchange, connection, target)
            if not exchange.unanswered:
                return self._result(exchange, url, target, connection.address, parts, cookies)
            # Not asked again here: the server may have read the request, so another must wait for its host's turn.
            exchange.discard()
            self._stale += 1
            outcome = Outcome.CLOSED if exchange.outcome in (None, RESPONSE) else exchange.outcome  # a 408 closes
            raise FetchError(outcome, f"on a kept connection, {exchange.detail}", on_kept=True)
        started_s = self._clock.monotonic()
        connection = await self._connect(target, addresses)
        exchange = self._new_exchange(request, limit_bytes, self._clock.monotonic() - started_s, refuses)
        await self._run(exchange, connection, target)
        return self._result(exchange, url, target, connection.address, parts, cookies)

    @property
    def cookies(self) -> CookieStore | None:
        """All cookies; None if they are not kept."""
        return self._cookies

    def headers_for(
        self, target: Target, validators: Validators | None, parts: RequestParts | None
    ) -> tuple[tuple[str, str], ...]:
        """The headers that a request would have now, but for those that are nobody's to change."""
        cookies = b"" if self._cookies is None else self._cookies.header_for(target)
        return headers_in(self._requests.of(target, parts or RequestParts(b""), validators, cookies))

    def release(self, fetched: Fetched) -> None:
        """As `fetch.body.release`, for whoever does not know the budget."""
        release(fetched, self._budget)

    def cookies_for(self, url: str) -> bytes:
        """The Cookie header that a request for a URL would have now; empty where none is kept."""
        return b"" if self._cookies is None else self._cookies.header_for(split(url))

    async def close(self) -> None:
        """End every exchange and wait until every connection is closed.

        Fetches that are still connecting are their callers' to cancel.
        """
        for exchange in list(self._active):
            exchange.give_up()
        if self._open:
            self._all_closed = asyncio.Event()
            for connection in list(self._open):
                connection.abort()
            await self._all_closed.wait()
        if self._sweep_timer is not None:
            self._sweep_timer.cancel()
            self._sweep_timer = None

    def statistics(self) -> FetchStatistics:
        """How many connections there are and were."""
        others = self._others.values()
        return FetchStatistics(
            active=len(self._active),
            open=len(self._open),
            idle=len(self._pool) + sum(len(other.idle) for other in others),
            new=self._new,
            reused=self._reused + sum(other.reused for other in others),
            stale=self._stale + sum(other.stale for other in others),
        )

    def _take_idle(self, target: Target, addresses: Sequence[str]) -> Connection | None:
        key = self._route.key(target)
        while (connection := self._pool.take(key)) is not None:
            if self._route.may_reuse(connection, addresses):
                return connection
            connection.abort()  # the name has moved since, and nobody says that the old place may still be asked
        return None

    async def _connect(self, target: Target, addresses: Sequence[str]) -> Connection:
        return await self._opened(target, addresses, self._new_connection)

    async def _connect_listening(self, target: Target, addresses: Sequence[str]) -> Connection:
        return await self._opened(target, addresses, self._new_listening_connection)

    async def _opened(self, target: Target, addresses: Sequence[str], make: MakeConnection) -> Connection:
        if self.may_send is None:
            connection = await self._connector.connect(target, addresses, make)
        elif self.may_send():
            connection = await self._while_not_abandoned(self._connector.connect(target, addresses, make))
        else:
            raise FetchError(Outcome.CLOSED, NOT_PERMITTED)
        self._new += 1
        if not connection.closed:
            self._open.add(connection)
        return connection

    def _new_connection(self, address: str) -> Connection:
        return Connection(address, self._forget, may_send=self.may_send)

    def _new_listening_connection(self, address: str) -> Connection:
        return Connection(address, self._forget, server_speaks_first=True, may_send=self.may_send)

    def _forget(self, connection: Connection) -> None:
        self._open.discard(connection)
        self._pool.discard(connection, is_noisy=connection.is_noisy)
        if self._all_closed is not None and not self._open:
            self._all_closed.set()

    def _new_exchange(
        self, request: bytes, limit_bytes: int, connect_s: float = 0.0, refuses: Refuses | None = None
    ) -> Exchange:
        body = self._new_body()
        if self._loop is None:
            self._loop = asyncio.get_running_loop()  # kept: each look-up costs a system call
        finished = self._loop.create_future()
        return Exchange(request, body, self._config, self._clock, finished, limit_bytes, connect_s, refuses)

    def _other(self, scheme: str) -> SchemeFetcher:
        means = Means(self._connect_listening, self._new_body, self._watching)
        other = self._others[scheme] = _OTHER_SCHEMES[scheme]()(self._login, self._clock, self._route, means)
        return other

    def _new_body(self) -> Body:
        return Body(self._config, self._budget, self._spool_folder)

    @contextmanager
    def _watching(self, watched: Watched) -> Iterator[None]:
        self._active.add(watched)
        self._arm_sweep()
        try:
            yield
        finally:
            self._active.discard(watched)

    async def _run(self, exchange: Exchange, connection: Connection, target: Target) -> None:
        """Have the exchange, then keep or close its connection."""
        self._active.add(exchange)
        if self._sweep_timer is None:
            self._arm_sweep()
        connection.start(self._route.wire(exchange.request, target), exchange)
        try:
            await exchange.finished
        except (asyncio.CancelledError, DiskFull, FolderError, OSError):
            exchange.discard()
            raise
        finally:
            self._active.discard(exchange)
            connection.detach()
            surplus: Connection | None = connection
            if exchange.is_noisy:
                self._pool.keep_none(self._route.key(target))
            if exchange.connection_reusable:
                surplus = self._pool.put(self._route.key(target), connection, self._clock.monotonic())
            if surplus is not None:
                surplus.abort()

    def _result(
        self, exchange: Exchange, url: str, target: Target, address: str, parts: RequestParts | None, cookies: bytes
    ) -> Fetched:
        if self._hides_secrets or (parts is not None and not self._config.archive_secrets):
            exchange.request = without_secrets(exchange.request)
        if parts is not None and parts.is_secret and parts.body:
            exchange.request = without_body(exchange.request)
        fetched = exchange.fetched(url, address, fingerprint(cookies))
        assert exchange.outcome is not None
        if fetched is None:
            exchange.discard()
            raise FetchError(exchange.outcome, exchange.detail)
        if (fault := self._route.fault(target, fetched.status)) is not None:
            release(fetched, self._budget)
            raise FetchError(fault, f"status {fetched.status}")
        if self._cookies is not None:
            self._cookies.take(target, fetched.headers)
        if exchange.outcome is not RESPONSE:
            raise FetchError(exchange.outcome, exchange.detail, fetched)
        return fetched

    def _arm_sweep(self) -> None:
        if self._sweep_timer is None:
            interval_s = self._config.sweep_interval_s
            self._sweep_due_s = self._clock.monotonic() + interval_s
            self._sweep_timer = asyncio.get_running_loop().call_later(interval_s, self._sweep)

    def _sweep(self) -> None:
        """End what is late. One timer for all connections, instead of one or more for each await."""
        self._sweep_timer = None
        now_s = self._clock.monotonic()
        # After a standstill of this process the answers may lie in the sockets: read them first, once.
        self._sweep_put_off = not self._sweep_put_off and now_s - self._sweep_due_s > _STANDSTILL_S
        if not self._sweep_put_off:
            for exchange in self._active:
                exchange.end_if_late(now_s)
            for connection in self._pool.take_expired(now_s):
                connection.abort()
            for other in self._others.values():
                for session in other.idle.take_expired(now_s):
                    session.abort()
        if self._active or self._pool or any(other.idle for other in self._others.values()):
            self._arm_sweep()


def _cookie_store(config: FetchConfig, clock: Clock) -> CookieStore | None:
    if not config.cookies and not config.cookie_file:
        return None
    store = CookieStore(clock)
    if config.cookie_file:
        store.load(read_cookie_file(config.cookie_file))
    return store
