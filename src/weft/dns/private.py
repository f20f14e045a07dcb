"""Which addresses lead out into the public Internet, and which into somebody's own network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from weft.errors import FetchError
from weft.types import Outcome

MAX_ADDRESSES = 4  # of a host. Whoever owns a name may have it lead to any number, of anybody's

# Carries an IPv4 address in its last 32 bits. (64:ff9b:1::/48 does, too, but only within somebody's network.)
_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all of IPv6 that has been given out; the rest is reserved
# By IANA's registries of special-purpose addresses. Python has a table, too, but another one in each version.
_NOT_PUBLIC_IPV4 = (
    IPv4Network("0.0.0.0/8"),  # this network
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),  # shared with a carrier
    IPv4Network("127.0.0.0/8"),
    IPv4Network("169.254.0.0/16"),  # link-local
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.0.2.0/24"),  # documentation
    IPv4Network("192.168.0.0/16"),
    IPv4Network("198.18.0.0/15"),  # benchmarks
    IPv4Network("198.51.100.0/24"),  # documentation
    IPv4Network("203.0.113.0/24"),  # documentation
    IPv4Network("224.0.0.0/3"),  # multicast, reserved, broadcast
)
_NOT_PUBLIC_IPV6 = (
    IPv6Network("2001::/23"),  # protocol assignments
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("3fff::/20"),  # documentation
)


def is_public(address: str) -> bool:
    """False for private, loopback, link-local, shared, reserved and multicast addresses, in every disguise."""
    return _is_public(ip_address(address.partition("%")[0]))


def permitted(host: str, addresses: tuple[str, ...], *, allow_private: bool) -> tuple[str, ...]:
    """Those of a host's addresses that may be connected to; FetchError if it has some, and none may be.

    A few of them at most, of both kinds if it has both: this machine may have one kind only.
    """
    if not allow_private and addresses:
        public = tuple(address for address in addresses if is_public(address))
        if not public:
            raise FetchError(Outcome.PRIVATE_ADDRESS, f"{host} is at {addresses[0]}; --allow-private permits it")
        addresses = public
    addresses = tuple(dict.fromkeys(map(_unmapped, addresses)))
    if len(addresses) <= MAX_ADDRESSES:
        return addresses
    ipv4 = [address for address in addresses if ":" not in address]
    ipv6 = [address for address in addresses if ":" in address]
    fewest = MAX_ADDRESSES // 2
    few = {*ipv4[: max(fewest, MAX_ADDRESSES - len(ipv6))], *ipv6[: max(fewest, MAX_ADDRESSES - len(ipv4))]}
    return tuple(address for address in addresses if address in few)


def _unmapped(address: str) -> str:
    """An IPv4 address as such, also where it came as ::ffff:8.8.8.8: it is one machine, and can bear as much as one."""
    if not address.startswith("::ffff:"):
        return address
    return str(IPv6Address(address).ipv4_mapped or address)


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_IPV4)
    if (inner := _embedded(address)) is not None:
        return _is_public(inner)
    return address in _GLOBAL_UNICAST and not any(address in network for network in _NOT_PUBLIC_IPV6)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return address.teredo[1]
    if address in _NAT64 or int(address) < 2**32:  # NAT64, or IPv4-compatible
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return None
