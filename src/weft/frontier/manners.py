"""How hosts and addresses are treated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf
from types import MappingProxyType

import msgspec

# However slow a server is, it rests no longer than this for it.
LONGEST_SLOW_REST_S = 30.0
# A back-off this long is worth a row, so that a restart honours it.
DURABLE_WAIT_S = 5.0
BLOCKED = "blocked by hand"  # why a host is left


class HostRules:
    """What a person has said of single hosts; changed while the crawl runs."""

    def __init__(self, delays: Mapping[str, float] = MappingProxyType({}), blocked: Iterable[str] = ()) -> None:
        self.delays = dict(delays)
        self.blocked = set(blocked)


class Manners(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of politeness that a crawl keeps."""

    delay_s: float  # from the end of a response to the next request of its host
    connections_per_host: int = 1
    connections_per_address: int = 4
    address_interval_s: float = 0.0  # between the starts of two requests to an address
    slow_factor: float = 0.0  # a host's delay is at least this many times as long as its last answer let wait
    max_host_wait_s: float = 3600.0
    max_retry_wait_s: float = inf  # no rule asks for more; a row that does was written by a clock that was ahead
    hosts: HostRules = msgspec.field(default_factory=HostRules)

    def delay_of(self, host: str) -> float:
        """The delay of a host, whose robots.txt may ask for a longer one."""
        return self.hosts.delays.get(host, self.delay_s)

    def rest_after_s(self, waited_s: float) -> float:
        """How long a host rests after it let us wait for the first byte. Who asks for no delay gets none."""
        return min(waited_s * self.slow_factor, LONGEST_SLOW_REST_S) if self.delay_s else 0.0
