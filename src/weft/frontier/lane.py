"""One authority of a host (scheme://host:port): the heads of its back queue, and whether it can be asked."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Container, Sequence
from math import inf
from typing import Protocol

from weft.state import State
from weft.state.keys import lane_prefix, queue_end

# Lanes a host may have. The last one is shared by all further authorities, so that a page which names 65,535 ports of
# its host costs no more than this: they fail, rest and are left together, but not together with the first ones.
MAX_LANES = 16
SHARED = ""  # the authority of that lane
MAX_HEADS = 64


class Named(Protocol):
    """Something of an authority."""

    @property
    def authority(self) -> str:
        """scheme://host[:port], or SHARED."""


def lane_number(authority: str, lanes: Sequence[Named]) -> int:
    """The number of the lane in which an authority's URLs are queued; that of a lane to be added, if it has none."""
    for number, lane in enumerate(lanes):
        if lane.authority == authority:
            return number
    return min(len(lanes), MAX_LANES - 1)


def heads_of(connections: int) -> int:
    """How many rows of a lane are in memory, for a host that may have so many connections."""
    return min(MAX_HEADS, 8 * connections)


def lane_name(authority: str, number: int) -> str:
    """The authority of a lane that is added for this one."""
    return authority if number < MAX_LANES - 1 else SHARED


def label(host: str, authority: str) -> str:
    """A lane's name for a person."""
    return authority or f"{host}, further ports"


class Resting:
    """Who fails and has to rest for it: an authority, or a host with all of them. Times are monotonic."""

    __slots__ = ("failed_at", "failures", "held_until", "why_held")

    def __init__(self) -> None:
        self.failures = 0  # in a row
        self.failed_at = -inf
        self.held_until = -inf  # a back-off
        self.why_held = ""

    def count_failure(self, began_at: float, now: float) -> int:
        """Requests that were under way together and fail together are one failure."""
        if began_at >= self.failed_at:
            self.failures += 1
            self.failed_at = now
        return self.failures


class Lane(Resting):
    """A back queue.

    Invariant: `heads` holds every queued row of the lane with a key below `cursor` that is not taken.
    """

    __slots__ = (
        "authority", "cleared", "cleared_until", "cursor", "delay_s", "end", "heads", "is_preparing", "parked",
        "retry_at",
    )  # fmt: skip

    def __init__(self, host: str, number: int, authority: str, *, is_new: bool) -> None:
        super().__init__()
        self.authority = authority
        # Rows of the queue. Filled by put and refill, emptied by take; bound: the frontier's heads for a host.
        self.heads: list[tuple[bytes, bytes]] = []
        prefix = lane_prefix(host, number)
        self.end = queue_end(prefix)
        self.cursor = self.end if is_new else prefix  # nothing of a new one is queued
        self.retry_at = -inf  # nothing but retries is queued, and this is when the first is due
        self.is_preparing = False  # its robots.txt is asked for
        self.cleared = ""  # whose robots rules are known: the authority's own, or in the shared lane the last one's
        self.cleared_until = -inf
        self.delay_s = 0.0  # that its robots.txt asks for
        self.parked = ""  # why it is left for another run

    def put(self, key: bytes, value: bytes, bound: int) -> None:
        """A row was written to the queue."""
        self.retry_at = -inf
        if key >= self.cursor:
            return  # a refill will meet it
        heads = self.heads
        if not heads or key > heads[-1][0]:
            heads.append((key, value))
        else:
            insort(heads, (key, value))
        if len(heads) > bound:
            self.cursor = heads.pop()[0]

    def remove(self, key: bytes) -> None:
        """A row has left the queue without being taken."""
        at = bisect_left(self.heads, (key,))
        if at < len(self.heads) and self.heads[at][0] == key:
            del self.heads[at]

    def head(self, state: State, bound: int, taken: Container[bytes]) -> tuple[bytes, bytes] | None:
        """The next row, read from the disk if need be."""
        if not self.heads and self.cursor != self.end:
            self._refill(state, bound, taken)
        return self.heads[0] if self.heads else None

    def is_exhausted(self) -> bool:
        """True when every queued row is taken."""
        return not self.heads and self.cursor == self.end

    def ready_at(self) -> float:
        """Before this there is nothing to ask for; inf when only something else can change that."""
        if self.is_preparing or self.parked or (not self.heads and self.cursor == self.end):
            return inf
        return self.held_until if self.held_until > self.retry_at else self.retry_at

    def park(self, why: str) -> None:
        """Leave it for another run."""
        self.parked = why
        self.heads.clear()  # they are on disk, and not read again in this run

    def _refill(self, state: State, bound: int, taken: Container[bytes]) -> None:
        for key, value in state.scan("queue", self.cursor, self.end):
            if key in taken:
                continue
            if len(self.heads) == bound:
                self.cursor = key
                return
            self.heads.append((key, value))
        self.cursor = self.end
