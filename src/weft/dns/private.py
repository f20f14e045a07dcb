"""Which addresses lead out into the public Internet, and which into somebody's own network."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# Networks that carry an IPv4 address in their last 32 bits.
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """False for private, loopback, link-local, shared, reserved and multicast addresses, in every disguise."""
    return _is_public(ip_address(address.partition("%")[0]))


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address):
        if (inner := _embedded(address)) is not None:
            return _is_public(inner)
        return address.is_global and not address.is_multicast and not address.is_site_local
    return address.is_global and not address.is_multicast


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
