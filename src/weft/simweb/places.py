"""What can be at a place of the web. Pure values; `graph` says what is where."""

from __future__ import annotations

import msgspec

# Index of the host, and path with query. Indices beyond the hosts are those of the doors.
WebPlace = tuple[int, str]


class SimPage(msgspec.Struct, frozen=True, gc=False):
    """A page, by its number in the whole web."""

    number: int


class Hop(msgspec.Struct, frozen=True, gc=False):
    """A redirect: so many hops before a page."""

    page: int
    hops_left: int


class Loop(msgspec.Struct, frozen=True, gc=False):
    """A redirect that never arrives. The page is the one that links to it."""

    page: int
    step: int


class DoorTo(msgspec.Struct, frozen=True, gc=False):
    """A redirect to the same path on another origin."""

    host: int


class Private(msgspec.Struct, frozen=True, gc=False):
    """A page that most robots.txt forbid. It is served all the same, and logged."""

    number: int


class Robots(msgspec.Struct, frozen=True, gc=False):
    """The host's robots.txt."""


class RobotsHop(msgspec.Struct, frozen=True, gc=False):
    """A redirect on the way to the robots.txt of a host, or, without hops left, the file itself."""

    host: int
    hops_left: int


class Missing(msgspec.Struct, frozen=True, gc=False):
    """Nothing is here: 404."""


Resource = SimPage | Hop | Loop | DoorTo | Private | Robots | RobotsHop | Missing
