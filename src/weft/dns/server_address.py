"""Name servers as a person writes them: "ip" or "ip:port", "[ip]:port" for IPv6."""

from __future__ import annotations

import ipaddress

from weft.errors import BadInput


def checked_server(server: str) -> str:
    """`server` as c-ares wants it; BadInput if it is no address with an optional port."""
    if server.startswith("["):
        address, _, port = server[1:].partition("]")
    elif server.count(":") == 1:
        address, port = server[: server.index(":")], server[server.index(":") :]
    else:
        address, port = server, ""
    try:
        is_ipv6 = ipaddress.ip_address(address).version == 6
        port_number = int(port.removeprefix(":")) if port else 53
    except ValueError:
        raise BadInput(
            f"name server {server!r} is not an IP address, or one with a port as in 127.0.0.1:5353"
        ) from None
    if not 0 < port_number < 65536:
        raise BadInput(f"name server {server!r} has no port between 1 and 65535")
    return f"[{address}]:{port_number}" if is_ipv6 else f"{address}:{port_number}"
