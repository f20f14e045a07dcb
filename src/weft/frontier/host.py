"""One host in memory: its lanes, and when it may be asked again."""

from __future__ import annotations

from enum import Enum
from math import inf
from typing import Final

from weft.frontier.lane import Lane, Resting, lane_name, lane_number
from weft.frontier.turns import SideTurn
from weft.state import State
from weft.state.keys import lane_of_queue_key, place_of
from weft.types import Outcome


class HostState(Enum):
    """See the package's docstring."""

    PREPARING = "preparing"
    READY = "ready"
    WAITING = "waiting"
    BUSY = "busy"
    EMPTY = "empty"
    PARKED = "parked"


READY: Final = HostState.READY  # asked for each page: see `weft.members`
PARKED: Final = HostState.PARKED


class Host(Resting):
    """The unit of politeness. Its URLs are queued in a lane for each authority, so that one which is dead, or whose
    robots.txt cannot be had, keeps nothing back but its own. Times are monotonic.
    """

    __slots__ = (
        "active", "address_interval_s", "addresses", "asked_at", "came_at", "connections", "delay_s", "has_answered",
        "is_leaving", "lanes", "misses", "name", "outstanding", "resolved_until", "side_turns", "state", "ticket",
        "trouble",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        *,
        delay_s: float,
        connections: int = 1,
        address_interval_s: float = 0.0,
        came_at: float = 0.0,
    ) -> None:
        super().__init__()
        self.name = name
        self.state = HostState.EMPTY
        self.ticket = 0  # a heap entry with another ticket is stale
        self.lanes: list[Lane] = []  # by number, as in the queue's keys; bound: MAX_LANES
        # Rows that were taken and are not yet committed. A dict: while it is empty, it takes a third of a set's memory.
        self.outstanding: dict[bytes, None] = {}
        # Requests outside the queue: robots.txt. Filled by Frontier.ask_for_turn, emptied by next; bound: preparations.
        self.side_turns: list[SideTurn] = []
        self.active = 0  # requests under way, and pages that are to be read before the next one
        self.asked_at = -inf  # the last request's end, or its start while it is under way
        self.delay_s = delay_s
        self.connections = connections  # at most that many requests are under way
        self.address_interval_s = address_interval_s  # since its address was asked last, for whichever host
        self.has_answered = False  # in this crawl, in whichever run
        self.addresses: tuple[str, ...] = ()  # the one that answered last is the first
        self.misses = 0  # that many of them, the last ones, let no connection come about since one of them did
        self.resolved_until = -inf
        self.trouble: Outcome | None = None  # why there are no addresses
        self.came_at = came_at  # into memory
        self.is_leaving = False  # it has had its time in memory, and makes room once nothing of it is under way

    def add_lane(self, authority: str, *, is_new: bool) -> Lane:
        """A lane behind the others."""
        number = len(self.lanes)
        lane = Lane(self.name, number, lane_name(authority, number), is_new=is_new)
        self.lanes.append(lane)
        return lane

    def lane_of(self, authority: str) -> Lane:
        """The lane in which an authority's URLs are queued; it has been added."""
        return self.lanes[lane_number(authority, self.lanes)]

    def lane_for(self, authority: str) -> Lane:
        """The same, added now if nothing of the authority was ever queued."""
        number = lane_number(authority, self.lanes)
        return self.lanes[number] if number < len(self.lanes) else self.add_lane(authority, is_new=True)

    def lane_of_row(self, key: bytes) -> Lane:
        """The lane in which a row of the queue stands."""
        return self.lanes[lane_of_queue_key(key)]

    def best_lane(self, state: State, bound: int, now: float) -> Lane | None:
        """The lane whose head comes first, of those that may be asked."""
        lanes = self.lanes
        if len(lanes) == 1:  # nearly always
            lane = lanes[0]
            has_head = lane.ready_at() <= now and (lane.heads or lane.head(state, bound, self.outstanding))
            return lane if has_head else None
        best, best_place, bound = None, b"", max(1, bound // (len(lanes) or 1))
        for lane in lanes:
            if lane.ready_at() <= now and (head := lane.head(state, bound, self.outstanding)) is not None:
                place = place_of(head[0])
                if best is None or place < best_place:
                    best, best_place = lane, place
        return best

    def lanes_ready_at(self) -> float:
        """Before this no lane has something to ask for; inf when none will have."""
        lanes = self.lanes
        if len(lanes) == 1:
            return lanes[0].ready_at()
        return min((lane.ready_at() for lane in lanes), default=inf)

    def take(self, lane: Lane) -> bytes:
        """Hand out the head of a lane."""
        key, _ = lane.heads.pop(0)
        self.outstanding[key] = None
        return key

    def reach(self, address: str) -> None:
        """A connection to the address came about."""
        self.misses = 0
        if address in self.addresses:
            self.addresses = (address, *(other for other in self.addresses if other != address))

    def miss(self, tried: tuple[str, ...]) -> bool:
        """No connection to these came about: others are tried first. False when all have been."""
        missed = self.addresses[len(self.addresses) - self.misses :]
        missed += tuple(address for address in tried if address in self.addresses and address not in missed)
        self.addresses = (*(address for address in self.addresses if address not in missed), *missed)
        self.misses = len(missed) % (len(self.addresses) or 1)
        return self.misses > 0

    def is_exhausted(self) -> bool:
        """True when every queued row is outstanding, or left for another run."""
        for lane in self.lanes:  # noqa: SIM110 — asked for each page, and quicker so
            if not (lane.is_exhausted() or lane.parked):
                return False
        return True

    def is_preparing(self) -> bool:
        """True while the robots.txt of one of its authorities is asked for."""
        return any(lane.is_preparing for lane in self.lanes)

    def is_under_way(self) -> bool:
        """True while something of it must still end."""
        return bool(self.active or self.outstanding or self.side_turns) or self.is_preparing()

    def has_work(self) -> bool:
        """True while something of it is under way or can still be."""
        if self.active or self.outstanding or self.side_turns:
            return True
        return self.state is not HostState.PARKED and not self.is_exhausted()

    def ready_at(self) -> float:
        """Before this no request may start."""
        delayed_until = self.asked_at + self.delay_s
        return delayed_until if delayed_until > self.held_until else self.held_until

    def rested_at(self) -> float:
        """Before this it cannot be forgotten: new links would find it without its rest, or that of an authority."""
        return max(self.ready_at(), *(lane.held_until for lane in self.lanes if not lane.parked), -inf)

    def is_cleared(self, lane: Lane, authority: str, now: float) -> bool:
        """True when addresses and robots rules are known and fresh."""
        if now >= self.resolved_until:
            return False
        return self.trouble is not None or (lane.cleared == authority and now < lane.cleared_until)
