"""How addresses are written: one way for each, because manners and caches go by the text."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address
from socket import AF_INET6, inet_ntop

_LOOPBACK = ("127.0.0.1", "::1")


def spelled(text: str) -> str:
    """An address as C libraries write it, c-ares among them; ValueError if it is none.

    Python writes `::ffff:127.0.0.1` so from 3.13 on only, and `::ffff:7f00:1` before.
    """
    address = ip_address(text)
    if isinstance(address, IPv4Address):
        return str(address)
    return inet_ntop(AF_INET6, address.packed) + (f"%{address.scope_id}" if address.scope_id else "")


def addresses_in(host: str) -> tuple[str, ...]:
    """The addresses that the name itself tells; none if they must be looked up."""
    if host == "localhost" or host.endswith(".localhost"):
        return _LOOPBACK  # RFC 6761 §6.3: never a question for the network
    if not (host[-1:].isdigit() or ":" in host):
        return ()  # no address looks so, and names rarely look otherwise
    try:
        return (spelled(host.removeprefix("[").removesuffix("]")),)
    except ValueError:
        return ()
