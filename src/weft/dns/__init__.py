"""dns: from a host's name to its addresses.

    Resolver ─▶ NameCache (what is known)  ─▶ NameServers (what must be asked)

The engine owns one `Resolver`. It answers at once what it knows: names in the cache, in the hosts file, and
hosts that are addresses already. All else is asked for asynchronously, each name once however many wait for
it. `cache` is pure and holds paper 1's pools; `name_servers` speaks to c-ares; `hosts_file` reads
/etc/hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.dns.private import is_public, permitted
from weft.dns.spelling import addresses_in
from weft.lazy_names import lazy_names

if TYPE_CHECKING:
    from weft.dns.cache import NameCache
    from weft.dns.hosts_file import parse_hosts, read_hosts
    from weft.dns.resolver import DnsStatistics, HostAddresses, Resolver

__all__ = [
    "DnsStatistics",
    "HostAddresses",
    "NameCache",
    "Resolver",
    "addresses_in",
    "is_public",
    "parse_hosts",
    "permitted",
    "read_hosts",
]

# Loaded when first used: a parse worker needs none of them.
__getattr__ = lazy_names(
    __name__,
    {
        "DnsStatistics": "weft.dns.resolver",
        "HostAddresses": "weft.dns.resolver",
        "NameCache": "weft.dns.cache",
        "Resolver": "weft.dns.resolver",
        "parse_hosts": "weft.dns.hosts_file",
        "read_hosts": "weft.dns.hosts_file",
    },
)
