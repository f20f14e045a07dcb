"""Which addresses lead out into the public Internet, and which into somebody's own network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# Carries an IPv4 address in its last 32 bits. (64:ff9b:1::/48 does, too, but only within somebody's network.)
_NAT64 = IPv6Network("64:ff9b::/96")
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # all of IPv6 that has been given out; the rest is reserved
# What some versions of the standard library take for public.
_NOT_PUBLIC = (
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv6Network("3fff::/20"),  # documentation
)


def is_public(address: str) -> bool:
    """False for private, loopback, link-local, shared, reserved and multicast addresses, in every disguise."""
    return _is_public(ip_address(address.partition("%")[0]))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        if (inner := _embedded(address)) is not None:
            return _is_public(inner)
        if address not in _GLOBAL_UNICAST:
            return False
    return address.is_global and not address.is_multicast and not any(address in network for network in _NOT_PUBLIC)


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
