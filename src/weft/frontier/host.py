"""One host in memory: the heads of its back queue, and when it may be asked again."""

from __future__ import annotations

from bisect import insort
from collections import deque
from enum import Enum
from math import inf

from weft.frontier.keys import host_prefix, queue_end
from weft.frontier.turns import SideTurn
from weft.state import State
from weft.types import Outcome


class HostState(Enum):
    """See the package's docstring."""

    PREPARING = "preparing"
    READY = "ready"
    WAITING = "waiting"
    BUSY = "busy"
    EMPTY = "empty"
    PARKED = "parked"


class Host:
    """A back queue.

    Invariant: `heads` holds every queued row of the host with a key below `cursor` that is not `outstanding`.
    Times are monotonic.
    """

    __slots__ = (
        "active", "addresses", "asked_at", "cleared", "cursor", "delay_s", "delays", "end", "failed_at", "failures",
        "heads", "held_until", "is_preparing", "name", "outstanding", "resolved_until", "side_turns", "state", "ticket",
        "trouble", "waits_for_retry", "why_held",
    )  # fmt: skip

    def __init__(self, name: str, *, delay_s: float) -> None:
        self.name = name
        self.state = HostState.EMPTY
        self.ticket = 0  # a heap entry with another ticket is stale
        # Rows of the queue. Filled by put and refill, emptied by take; bound: the frontier's heads_per_host.
        self.heads: list[tuple[bytes, bytes]] = []
        self.cursor = host_prefix(name)
        self.end = queue_end(self.cursor)
        self.outstanding: set[bytes] = set()  # taken, not yet committed
        self.waits_for_retry = False  # nothing but a retry is queued; anything new goes first
        # Requests outside the queue: robots.txt. Filled by Frontier.ask_for_turn, emptied by next; bound: preparations.
        self.side_turns: deque[SideTurn] = deque()
        self.active = 0  # requests under way
        self.asked_at = -inf  # the last request's end, or its start while it is under way
        self.held_until = -inf  # a back-off
        self.why_held = ""
        self.delay_s = delay_s
        self.delays: dict[str, float] = {}  # authority → the delay that its robots.txt asks for
        self.failures = 0  # in a row, of a kind that concerns all of its URLs
        self.failed_at = -inf
        self.is_preparing = False
        self.addresses: tuple[str, ...] = ()
        self.resolved_until = -inf
        self.trouble: Outcome | None = None  # why there are no addresses
        self.cleared: dict[str, float] = {}  # authority → until when its robots rules hold

    def count_failure(self, began_at: float, now: float) -> int:
        """Requests that were under way together and fail together are one failure."""
        if began_at >= self.failed_at:
            self.failures += 1
            self.failed_at = now
        return self.failures

    def put(self, key: bytes, value: bytes, bound: int) -> None:
        """A row was written to the queue."""
        if key >= self.cursor:
            return  # a refill will meet it
        heads = self.heads
        if not heads or key > heads[-1][0]:
            heads.append((key, value))
        else:
            insort(heads, (key, value))
        if len(heads) > bound:
            self.cursor = heads.pop()[0]

    def head(self, state: State, bound: int) -> tuple[bytes, bytes] | None:
        """The next row, read from the disk if need be."""
        if not self.heads and self.cursor != self.end:
            self._refill(state, bound)
        return self.heads[0] if self.heads else None

    def take(self) -> bytes:
        """Hand out the head."""
        key, _ = self.heads.pop(0)
        self.outstanding.add(key)
        return key

    def is_exhausted(self) -> bool:
        """True when every queued row is outstanding."""
        return not self.heads and self.cursor == self.end

    def is_under_way(self) -> bool:
        """True while something of it must still end."""
        return bool(self.active or self.outstanding or self.is_preparing or self.side_turns)

    def has_work(self) -> bool:
        """True while something of it is under way or can still be."""
        if self.active or self.outstanding or self.side_turns:
            return True
        return self.state is not HostState.PARKED and not self.is_exhausted()

    def ready_at(self) -> float:
        """Before this no request may start."""
        return max(self.held_until, self.asked_at + self.delay_s)

    def is_cleared(self, authority: str, now: float) -> bool:
        """True when addresses and robots rules are known and fresh."""
        return now < self.resolved_until and (self.trouble is not None or now < self.cleared.get(authority, -inf))

    def _refill(self, state: State, bound: int) -> None:
        for key, value in state.scan("queue", self.cursor, self.end):
            if key in self.outstanding:
                continue
            if len(self.heads) == bound:
                self.cursor = key
                return
            self.heads.append((key, value))
        self.cursor = self.end
