"""What settings by host say to servers: user agent, headers, logins.

Each request is written for its own target, so what is for one host never goes along when that redirects to another.

| of a table                                      | goes to its hosts                                  |
|-------------------------------------------------|----------------------------------------------------|
| user agent; headers that everybody may read:    | by http and https                                  |
| Accept…, From, Referer, …                       |                                                    |
| any other header, a login                       | by https, and by the scheme of a seed of that host |
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Final

from weft.config import HostTable, named_agent
from weft.errors import BadInput
from weft.fetch.audience import SECRET_HEADERS, SeedHosts
from weft.settings.by_host import ByHost, named
from weft.url import Target

# Nobody is known by them.
OPEN_HEADERS: Final = frozenset(
    (
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "from", "pragma",
        "referer", "te", "upgrade-insecure-requests", "user-agent",
    )
)  # fmt: skip

Headers = dict[str, tuple[str, str]]  # by their names in lower case


class HostHeaders:
    """The part of settings by host that servers are told."""

    def __init__(self, tables: Iterable[HostTable], by_host: ByHost, seeds: SeedHosts) -> None:
        self._by_host = by_host
        self._seeds = seeds
        self.has_secrets = any(
            one.auth is not None or any(name.lower() in SECRET_HEADERS for name, _ in one.headers or ())
            for one in tables
        )

    def replaces(self, target: Target) -> Headers | None:
        """Headers that this host is told in the place of the crawl's; None: the crawl's."""
        said = self._by_host.value(target.host, "headers")
        if said is None:
            return None
        is_trusted = self._seeds.trust(target)
        return {name.lower(): (name, value) for name, value in said if is_trusted or name.lower() in OPEN_HEADERS}

    def adds(self, target: Target) -> Headers:
        """User agent and login of this host, where it has its own."""
        added: Headers = {}
        if (agent := self._by_host.value(target.host, "user_agent")) is not None:
            added["user-agent"] = "User-Agent", named_agent(agent)
        if (login := self.login(target)) is not None:
            added["authorization"] = "Authorization", basic(login)
        return added

    def login(self, target: Target) -> str | None:
        """user:password for this place; None: no table has a login that may be told there."""
        login: str | None = self._by_host.value(target.host, "auth")
        return login if login is not None and self._seeds.trust(target) else None


def host_headers(tables: tuple[HostTable, ...], seeds: SeedHosts) -> HostHeaders | None:
    """None where no table tells servers anything."""
    by_host = ByHost.saying(tables, "user_agent", "headers", "auth")
    return None if by_host is None else HostHeaders(tables, by_host, seeds)


def basic(credentials: str) -> str:
    """The value of an Authorization header for user:password."""
    return f"Basic {b64encode(credentials.encode()).decode()}"


def place_of(table: HostTable, key: str, error: BadInput) -> BadInput:
    """The complaint, with the table and key that it is about."""
    return BadInput(f"{named(table)} {key!r}: {error}")
