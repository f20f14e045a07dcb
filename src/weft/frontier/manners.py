"""How hosts and addresses are treated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from types import MappingProxyType

import msgspec

from weft.settings.by_host import ByHost

# However slow a server is, it rests no longer than this for it.
LONGEST_SLOW_REST_S = 30.0
# A back-off this long is worth a row, so that a restart honours it.
DURABLE_WAIT_S = 5.0
BLOCKED = "blocked by hand"  # why a host is left


class HostRules:
    """What a person has said of single hosts: by hand, which is changed while the crawl runs, and in settings."""

    def __init__(
        self,
        delays: Mapping[str, float] = MappingProxyType({}),
        blocked: Iterable[str] = (),
        settings: ByHost | None = None,  # of delays and connections
    ) -> None:
        self.delays = dict(delays)
        self.blocked = set(blocked)
        self.settings = settings


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of politeness that a crawl keeps."""

    delay_s: float  # from the end of a response to the next request of its host
    connections_per_host: int = 1
    connections_per_address: int = 4
    address_interval_s: float = 0.0  # between the starts of two requests to an address
    address_interval_per_s: float = 0.0  # of a host's own delay
    slow_factor: float = 0.0  # a host's delay is at least this many times as long as its last answer let wait
    max_host_wait_s: float = 3600.0
    max_retry_wait_s: float = inf  # no rule asks for more; a row that does was written by a clock that was ahead
    hosts: HostRules = msgspec.field(default_factory=HostRules)

    def delay_of(self, host: str) -> float:
        """The delay of a host, whose robots.txt may ask for a longer one."""
        by_hand = self.hosts.delays.get(host)
        return self._said_delay_of(host) if by_hand is None else by_hand

    def connections_of(self, host: str) -> int:
        """How many requests of a host may be under way at once."""
        said = self.hosts.settings.value(host, "connections_per_host") if self.hosts.settings is not None else None
        return self.connections_per_host if said is None else int(said)

    @property
    def most_connections(self) -> int:
        """How many a host may have at most, whichever it is."""
        said = self.hosts.settings.largest("connections_per_host") if self.hosts.settings is not None else 0
        return max(self.connections_per_host, said)

    def address_interval_of(self, host: str) -> float:
        """Between the starts of two requests to the address of this host.

        Who asks for less delay asks for more requests to an address as well.
        """
        if self.hosts.settings is None:
            return self.address_interval_s
        return min(1.0, self._said_delay_of(host)) * self.address_interval_per_s

    def rest_after_s(self, host: str, waited_s: float) -> float:
        """How long a host rests after it let us wait for the first byte. Who asks for no delay gets none."""
        return min(waited_s * self.slow_factor, LONGEST_SLOW_REST_S) if self._said_delay_of(host) else 0.0

    def _said_delay_of(self, host: str) -> float:
        """By the settings."""
        said = self.hosts.settings.value(host, "delay_s") if self.hosts.settings is not None else None
        return self.delay_s if said is None else float(said)
