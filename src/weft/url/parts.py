"""The parts of a canonical URL, taken by plain string operations.

    https://example.org:8443/a/b?c=d
    ───────┬────────────────
           origin_of         scheme, host and port: one robots.txt, one pool of connections

These run for every link of every page. They trust their argument: what is not canonical gives nonsense.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from weft.url.schemes import SCHEMES


class Target(NamedTuple):
    """Where a request goes and what it asks for."""

    scheme: str
    host: str  # an IPv6 address stands without its brackets
    port: int
    path: str  # with the query: the request target


# Little more than half of the time that the class itself takes, whose constructor is a function in Python.
_target: Final[Callable[[tuple[str, str, int, str]], Target]] = partial(tuple.__new__, Target)


def split(url: str) -> Target:
    """Take a canonical URL apart."""
    scheme, _, rest = url.partition("://")
    authority, _, path = rest.partition("/")
    return _target((scheme, *_place(scheme, authority), "/" + path))


def host_of(url: str) -> str:
    """The host of a canonical URL, without port and brackets."""
    authority = url.split("/", 3)[2]
    if authority[0] == "[":
        return authority[1 : authority.index("]")]
    return authority.partition(":")[0]


def origin_of(url: str) -> str:
    """Scheme, host and port of a canonical URL as they stand in it: `https://example.org:8443`."""
    return url[: url.index("/", 8 if url[0] == "h" else url.index(":") + 3)]  # as path_start: a call less


def path_start(url: str) -> int:
    """Where the path of a canonical URL begins."""
    return url.index("/", 8 if url[0] == "h" else url.index(":") + 3)  # at least one character behind http://


def _place(scheme: str, authority: str) -> tuple[str, int]:
    """Host and port."""
    if authority[0] == "[":
        host, _, port = authority[1:].partition("]")
        port = port[1:]
    else:
        host, _, port = authority.partition(":")
    return host, int(port) if port else SCHEMES[scheme].default_port
