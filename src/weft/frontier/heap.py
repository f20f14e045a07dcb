"""Heaps whose members may be elsewhere by the time they come out."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Generic, Protocol, TypeVar

NO_TICKET = 0


class Ticketed(Protocol):
    """Who can stand in a heap."""

    ticket: int


Member = TypeVar("Member", bound=Ticketed)


class Tickets:
    """One series of tickets. A new one makes all earlier places of its holder stale, in whichever heap they are."""

    def __init__(self) -> None:
        self._numbers = count(NO_TICKET + 1)

    def renew(self, who: Ticketed) -> None:
        """Take the member out of every heap."""
        who.ticket = next(self._numbers)


class TicketHeap(Generic[Member]):
    """Members in their order, those of equal order as they came."""

    def __init__(self, tickets: Tickets) -> None:
        self._tickets = tickets
        self._heap: list[tuple[float, int, Member]] = []

    def push(self, order: float, who: Member) -> None:
        """Give the member this place, and only this."""
        self._tickets.renew(who)
        heappush(self._heap, (order, who.ticket, who))

    def first(self) -> float | None:
        """The order of the first member; None when there is none."""
        while self._heap and self._heap[0][2].ticket != self._heap[0][1]:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop(self, up_to: float = inf) -> Member | None:
        """Take the first member out, if its order is not beyond `up_to`."""
        order = self.first()
        if order is None or order > up_to:
            return None
        return heappop(self._heap)[2]
