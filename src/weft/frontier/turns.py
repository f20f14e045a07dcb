"""What the frontier hands out besides visits, and what it is told in return."""

from __future__ import annotations

import asyncio

import msgspec

from weft.types import Outcome


class Preparation(msgspec.Struct, frozen=True):
    """A host's turn has come, but its addresses or the robots rules of the next URL's authority are not known."""

    host: str
    authority: str  # scheme://host[:port]


class Clearance(msgspec.Struct, frozen=True):
    """What preparing a host brought."""

    addresses: tuple[str, ...]
    holds_s: float  # addresses and rules are good for so long
    trouble: Outcome | None = None  # no address: every URL of the host fails with this
    delay_s: float = 0.0  # the robots.txt's own, if any


class SideTurn:
    """A request that is not in the queue, for robots.txt, but takes its host's and its address's turn as any other."""

    __slots__ = ("addresses", "given", "host")

    def __init__(self, host: str, addresses: tuple[str, ...], given: asyncio.Future[None]) -> None:
        self.host = host
        self.addresses = addresses  # once it is given: those that it may go to
        self.given = given  # resolved when the turn comes, failed with HostParked or HostGivenUp if it will not come
