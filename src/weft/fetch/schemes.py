"""How URLs are fetched whose scheme is not HTTP's. What else differs between schemes, `weft.url.schemes` says.

A fetcher of another scheme is lent what `Fetcher` has, so that every connection goes to a vetted address or through the
proxy, bodies share one budget, and whatever is late ends. What it returns looks like a response of HTTP: it has a
status, by which retries are decided, and headers; its `head` is empty.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from weft.clock import Clock
from weft.fetch.body import Body
from weft.fetch.conditional import Validators
from weft.fetch.config import FetchConfig
from weft.fetch.connection import Connection
from weft.fetch.exchange import Watched
from weft.fetch.pool import Pool
from weft.fetch.route import Route
from weft.types import Fetched
from weft.url import Target


class Means(NamedTuple):
    """What the fetcher lends: its connections, its memory, its sweep."""

    connect: Callable[[Target, Sequence[str]], Awaitable[Connection]]
    new_body: Callable[[], Body]
    watch: Callable[[Watched], AbstractContextManager[None]]


class Wanted(NamedTuple):
    """What is to be fetched: the arguments of `Fetcher.fetch`."""

    url: str
    target: Target
    addresses: Sequence[str]
    limit_bytes: int
    validators: Validators | None
    may_reuse: bool


class SchemeFetcher(Protocol):
    """Fetches URLs of one scheme."""

    idle: Pool[Any]  # what it keeps open for the next file
    reused: int  # of these, how many were used again
    stale: int  # and how many of those ended before a byte of the answer, or had something else

    async def fetch(self, wanted: Wanted) -> Fetched:
        """As `Fetcher.fetch`."""
        ...

    def log_in(self, config: FetchConfig) -> None:
        """As `Fetcher.log_in`."""


NewSchemeFetcher = Callable[[FetchConfig, Clock, Route, Means], SchemeFetcher]
