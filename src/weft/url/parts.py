"""The parts of a canonical URL, taken by plain string operations.

    https://example.org:8443/a/b?c=d
    ───────┬────────────────
           origin_of         scheme, host and port: one robots.txt, one pool of connections

These run for every link of every page. They trust their argument: what is not canonical gives nonsense.
"""

from __future__ import annotations

from typing import NamedTuple

from weft.url.schemes import SCHEMES


class Target(NamedTuple):
    """Where a request goes and what it asks for."""

    scheme: str
    host: str  # an IPv6 address stands without its brackets
    port: int
    path: str  # with the query: the request target


def split(url: str) -> Target:
    """Take a canonical URL apart."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    host, port = _split_authority(authority)
    return Target(scheme, host, int(port) if port else SCHEMES[scheme].default_port, "/" + path)


def host_of(url: str) -> str:
    """The host of a canonical URL, without port and brackets."""
    authority = url.split("/", 3)[2]
    if authority[0] == "[":
        return authority[1 : authority.index("]")]
    return authority.partition(":")[0]


def origin_of(url: str) -> str:
    """Scheme, host and port of a canonical URL as they stand in it: `https://example.org:8443`."""
    return url[: path_start(url)]


def path_start(url: str) -> int:
    """Where the path of a canonical URL begins."""
    return url.index("/", 8 if url[0] == "h" else url.index(":") + 3)  # at least one character behind http://


def _split_authority(authority: str) -> tuple[str, str]:
    if authority[0] == "[":
        host, _, port = authority[1:].partition("]")
        return host, port[1:]
    host, _, port = authority.partition(":")
    return host, port
