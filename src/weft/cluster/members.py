"""Nodes and their lives, as each node sees them. Pure: times come from outside, on the clock of who looks.

Each start of a node makes a *life*, numbered on from the one before. It is over, for ever, when the node's entry names
a later one, or says so: written by any node that has seen the same entry for longer than a lease, on its own clock.
So no clock is compared with another, and an entry that was read late does no harm.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

SPARE_S: Final = 2.0  # nothing begins so long before a lease ends; and so much longer others wait


def new_life(number: int) -> str:
    """The name of a life: its number among those of its node, and something that no other life has."""
    return f"{number}-{secrets.token_hex(8)}"


def number_of(life: str) -> int:
    """Its number."""
    return int(life.partition("-")[0])


class Counts(msgspec.Struct, frozen=True):
    """How far a node has come."""

    pages: int = 0
    requests: int = 0
    queued: int = 0
    received: int = 0  # links that other nodes have sent
    sent: int = 0  # links to other nodes
    unsent: int = 0  # rows of the outbox
    bytes: int = 0  # received from the web


class ProbeHeard(msgspec.Struct, frozen=True):
    """A probe that a node heard in all streams, with nothing to do."""

    by: str
    number: int


class Member(msgspec.Struct, frozen=True):
    """A node's entry: who it is, and how it is."""

    life: str
    folder: str  # the id of its folder
    weight: int = 100
    address: str = ""  # the machine
    is_over: bool = False
    leaves: bool = False  # it wants to give up all buckets
    buckets: int = 0  # that it owns and has read all of
    is_idle: bool = False
    heard: ProbeHeard | None = None
    used: int = 0  # pages of this life that count for the limit
    is_at_limit: bool = False  # it has used up what it was granted, and nothing is under way
    counts: Counts = Counts()
    sent_to: dict[str, int] = {}  # links by the node that owned their bucket then: paper 2's matrix


class Sighting(NamedTuple):
    """What was read of a node, and when first."""

    revision: int
    member: Member
    at_s: float


class Members:
    """What one node knows of all nodes."""

    def __init__(self, lease_s: float) -> None:
        self._lease_s = lease_s
        self._seen: dict[str, Sighting] = {}  # by name; bound: nodes

    def see(self, entries: Mapping[str, tuple[int, Member]], now_s: float) -> None:
        """All entries, as they were just read."""
        for name, (revision, member) in entries.items():
            before = self._seen.get(name)
            if before is None or revision > before.revision:
                self._seen[name] = Sighting(revision, member, now_s)

    def reconnected(self, now_s: float) -> None:
        """What was not seen while the log was away says nothing about who lives."""
        self._seen = {name: one._replace(at_s=now_s) for name, one in self._seen.items()}

    def silent(self, now_s: float) -> list[tuple[str, Sighting]]:
        """Nodes of which nothing new was seen for so long that their lives are over, once that is written."""
        most_s = self._lease_s + SPARE_S
        return [(name, one) for name, one in self._seen.items() if not one.member.is_over and now_s - one.at_s > most_s]

    def living(self) -> dict[str, Member]:
        """Those whose lives are not over, by name."""
        return {name: one.member for name, one in sorted(self._seen.items()) if not one.member.is_over}

    def over(self) -> list[Member]:
        """Those whose last life is over."""
        return [one.member for one in self._seen.values() if one.member.is_over]

    def is_over(self, node: str, life: str) -> bool:
        """Whether a life is over. Of a node that was never seen nothing is known: it may have just begun."""
        if (one := self._seen.get(node)) is None:
            return False
        return number_of(one.member.life) > number_of(life) or (one.member.life == life and one.member.is_over)

    def get(self, node: str) -> Sighting | None:
        """What was last seen of a node."""
        return self._seen.get(node)


def weights(members: Mapping[str, Member], gone: Iterable[str] = ()) -> dict[str, int]:
    """Of those who shall have buckets."""
    leaving = set(gone)
    return {name: one.weight for name, one in members.items() if not one.leaves and name not in leaving}
