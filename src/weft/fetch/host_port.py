"""A place as a user names it in a setting: a host, perhaps with a port."""

from __future__ import annotations

from typing import Final, NamedTuple

from weft.errors import BadInput, BadUrl
from weft.regex import regex
from weft.url import canonicalize, host_of

_NOT_IN_A_HOST: Final = regex(r"[\s/\\?#@]")  # would end it, or be left out of it, in a URL
_MAX_PORT: Final = 65_535


class HostPort(NamedTuple):
    """A canonical host, and a port where one was given."""

    host: str
    port: int | None


def parse_host_port(text: str) -> HostPort:
    """`example.org`, `bücher.example:8080`, `::1`, `[::1]:8080`. BadInput when it is nothing of the kind."""
    host, colon, port = text.rpartition(":")
    if not (colon and port.isdecimal() and (":" not in host or host.endswith("]"))):
        host, port = text, ""
    if ":" in host and not host.startswith("["):
        host = f"[{host}]"
    complaint = BadInput(f"{text!r} is neither a host nor host:port.")
    if _NOT_IN_A_HOST.search(host) or (port and int(port[:6]) > _MAX_PORT):
        raise complaint
    try:
        url = canonicalize(f"http://{host}/")
    except BadUrl:
        raise complaint from None
    return HostPort(host_of(url), int(port) if port else None)
