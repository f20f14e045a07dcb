"""Who is told a secret: a login or a header that says who we are goes where it was meant to go, and nowhere else.

| given for                              | goes to                                         |
|----------------------------------------|-------------------------------------------------|
| nobody by name: `Authorization`,       | the hosts of the seeds, as the user gave them   |
| `Cookie`, `Proxy-Authorization`        |                                                 |
| `example.org`                          | that host, at any port                          |
| `example.org:8443`                     | that port of it                                 |
| `http://example.org`                   | the same, by this scheme                        |
| nobody by name: any other header       | every host                                      |

Where no scheme is given it is https, and that of a seed of the same host: what was meant for https is never sent in
the open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from weft.errors import BadInput
from weft.fetch.host_port import parse_host_port
from weft.regex import regex
from weft.settings import pairs
from weft.types import RequestParts
from weft.url import Target, split
from weft.url.schemes import ANY_SCHEME, SCHEMES, listed

SECRET_HEADERS: Final = pairs.SECRET_HEADERS
REMOVED: Final = b"[removed]"
_BY_HTTPS: Final = frozenset(("https",))
_LENGTH_LINE: Final = regex(rb"^Content-Length:[^\r\n]*", re.I | re.M)


_SECRET_LINE: Final = regex(rb"^(%b):[^\r\n]*" % b"|".join(map(str.encode, sorted(SECRET_HEADERS))), re.I | re.M)


def without_secrets(request: bytes) -> bytes:
    """The request as it may be archived: with these headers, but without what they say."""
    head, blank, body = request.partition(b"\r\n\r\n")
    return _SECRET_LINE.sub(rb"\1: [removed]", head) + blank + body


def without_body(request: bytes) -> bytes:
    """Likewise, without what is sent."""
    head, blank, _ = request.partition(b"\r\n\r\n")
    return _LENGTH_LINE.sub(b"Content-Length: %d" % len(REMOVED), head) + blank + REMOVED


def has_secret_header(parts: RequestParts) -> bool:
    """Whether a request says by itself who we are."""
    return any(name.lower() in SECRET_HEADERS for name, _ in parts.headers)


class Audience(NamedTuple):
    """A place that is told something."""

    host: str
    port: int | None  # None: any
    schemes: frozenset[str]

    def includes(self, target: Target) -> bool:
        """Whether a request for the target may tell it. The host has been compared."""
        return target.scheme in self.schemes and self.port in (None, target.port)


class SeedHosts:
    """The hosts of the seeds, and the schemes by which the user trusts them."""

    def __init__(self, seeds: Iterable[str]) -> None:
        self._schemes: dict[str, frozenset[str]] = {}
        for seed in seeds:
            target = split(seed)
            self._schemes[target.host] = self._schemes.get(target.host, _BY_HTTPS) | {target.scheme}

    def include(self, target: Target) -> bool:
        """Whether what is for the seeds' hosts may be told to the target."""
        return target.scheme in self._schemes.get(target.host, ())

    def trust(self, target: Target) -> bool:
        """Whether what is for the target's host may be told to it by this scheme."""
        return target.scheme in self._schemes.get(target.host, _BY_HTTPS)

    def audience(self, text: str) -> Audience:
        """Who is meant by `[scheme://]host[:port]`. BadInput if nobody can be."""
        scheme, mark, place_text = text.rpartition("://")
        if mark and scheme.lower() not in SCHEMES:
            raise BadInput(f"{text!r} is no place to log in to: it begins with none of {listed(ANY_SCHEME, 'and')}.")
        place = parse_host_port(place_text.removesuffix("/") if mark else place_text)
        schemes = frozenset((scheme.lower(),)) if mark else self._schemes.get(place.host, _BY_HTTPS)
        return Audience(place.host, place.port, schemes)
