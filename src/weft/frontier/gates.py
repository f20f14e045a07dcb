"""How often one IP address is asked, however many hosts it serves.

A request enters the gate of each address that its connection may go to. It waits for the first one only, in its turn;
of its host's other addresses it has those that nobody else asks at the moment, in case the first one does not answer.
Were it to wait for all of them, one that is busy would keep back the others, and those who need several at once might
never find them open together.
"""

from __future__ import annotations

from collections import deque
from math import inf
from typing import Protocol

from weft.frontier.heap import TicketHeap
from weft.frontier.host import Host
from weft.url import bucket_of

# Gates that nobody uses are forgotten when there are more than this.
GATES_TO_KEEP = 10_000
# Should a host that is let in not go through, the next has its chance this much later.
STEP_S = 0.01


class Place(Protocol):
    """What all engines of this machine know of an address that we ask."""

    engines: int  # that ask there, as far as we know; never fewer than before

    def enter(self, connections: int) -> bool:
        """A request of ours is to start, where we alone might have this many; False: all have enough under way."""

    def leave(self) -> None:
        """A request of ours has ended, or was not made after all."""


class Sharing(Protocol):
    """Where several engines of this machine ask addresses."""

    def at(self, address: str, connections: int) -> Place:
        """We ask the address from now on, alone with this many connections."""


class Gate:
    """One address."""

    __slots__ = (
        "active", "asked_at", "bucket", "connections", "engines", "interval_s", "is_promised", "is_shared", "place",
        "ticket", "waiting",
    )  # fmt: skip

    def __init__(self, connections: int, interval_s: float) -> None:
        # As the crawl has them; or more, where one of its hosts may have more.
        self.connections = connections
        self.interval_s = interval_s
        self.bucket = b""  # of the first host that was seen here …
        self.is_shared = False  # … and whether one of another bucket was: then other machines may ask there, too
        self.engines = 1  # of this crawl on this machine that ask there …
        self.place: Place | None = None  # … by what they know of each other, where there are several
        self.active = 0  # requests under way
        self.asked_at = -inf  # monotonic time of the last request that started
        self.is_promised = False  # to a host that has waited here, and comes when its rank lets it
        self.ticket = 0
        # Hosts in the order in which they came; made for the first one, as most addresses have one host.
        # Filled by Gates.enter, emptied by Gates.open; bound: hosts.
        self.waiting: deque[tuple[Host, int]] | None = None


class Gates:
    """All addresses that are asked now. Those with hosts waiting stand in the frontier's heap by time.

    A host whose address only a proxy knows has none, and no gate.
    """

    def __init__(self, waiting: TicketHeap[Host | Gate], *, connections: int, interval_s: float) -> None:
        self._waiting = waiting
        self._connections = connections
        self._interval_s = interval_s
        self._share = 1.0  # of what an address with hosts of several sites can bear; other machines have the rest
        self._gates: dict[str, Gate] = {}  # bound: _to_keep
        self._to_keep = GATES_TO_KEEP
        self.sharing: Sharing | None = None  # where a crawl has several engines

    def enter(self, addresses: tuple[str, ...], host: Host, now: float) -> tuple[str, ...]:
        """A request of a host starts: to which of its addresses it may connect. None: it waits from now on."""
        first = addresses[0]
        if self._is_shut(first, host, now):
            return ()
        self._pass(first, host, now)
        if len(addresses) == 1:
            return addresses
        spare = [address for address in addresses[1:] if self._is_idle(address, host, now)]
        for address in spare:
            self._pass(address, host, now)
        return addresses if len(spare) == len(addresses) - 1 else (first, *spare)

    def _is_shut(self, address: str, host: Host, now: float) -> bool:
        """Whether the host has to wait; if so, it does."""
        gate = self._looked_at(address, host, now)
        if gate is None:
            return False
        not_before = -inf
        if gate.active < self._connections_at(gate) and now >= self._next_at(gate):
            if gate.place is None or self._enters(gate, gate.place, now):
                return False
            not_before = now + STEP_S  # nobody tells when a request of another engine ends
        if gate.waiting is None:
            gate.waiting = deque()
        gate.waiting.append((host, host.ticket))
        if len(gate.waiting) == 1:
            self._await(gate, not_before)
        return True

    def _is_idle(self, address: str, host: Host, now: float) -> bool:
        """Whether nobody else wants to ask there."""
        gate = self._looked_at(address, host, now)
        if gate is None:
            return True
        if gate.active or gate.waiting or gate.is_promised or now < self._next_at(gate):
            return False
        return gate.place is None or self._enters(gate, gate.place, now)

    def _enters(self, gate: Gate, place: Place, now: float) -> bool:
        """Whether the other engines leave room for a request at a gate that is open by what was known of them."""
        has_entered = place.enter(gate.connections)
        if place.engines != gate.engines:  # each has less from now on, and waits longer
            gate.engines = place.engines
            if has_entered and (gate.active >= self._connections_at(gate) or now < self._next_at(gate)):
                place.leave()
                return False
        return has_entered

    def _looked_at(self, address: str, host: Host, now: float) -> Gate | None:
        """The gate, with what is known of other machines by now; None if nobody can be there."""
        gate = self._gates.get(address)
        if gate is None:
            if self.sharing is None:
                return None
            gate = self._new_gate(address, host, now)
        if self._share < 1.0:
            self._look_for_others(gate, host)
        return gate

    def share(self, share: float) -> None:
        """From now on this much of each address that several sites share is ours."""
        self._share = share

    def _pass(self, address: str, host: Host, now: float) -> None:
        gate = self._gates.get(address) or self._new_gate(address, host, now)
        if host.connections > gate.connections:
            gate.connections = host.connections
        if host.address_interval_s < gate.interval_s:
            gate.interval_s = host.address_interval_s
        gate.active += 1
        gate.asked_at = now
        gate.is_promised = False
        if self._share < 1.0:
            self._look_for_others(gate, host)

    def leave(self, addresses: tuple[str, ...], *, unused: bool = False) -> None:
        """A request that entered these has ended, or was not made after all."""
        for address in addresses:
            gate = self._gates[address]
            gate.active -= 1
            if gate.place is not None:
                gate.place.leave()
            if unused:
                gate.asked_at = -inf
            self._await(gate)

    def open(self, gate: Gate, now: float) -> Host | None:
        """A gate's time has come: the host that has waited longest and still wants to."""
        host = None
        while host is None and gate.waiting:
            first, ticket = gate.waiting.popleft()
            host = first if first.ticket == ticket else None
        gate.is_promised = host is not None
        self._await(gate, not_before=now + max(self._interval_at(gate), STEP_S))
        return host

    def _new_gate(self, address: str, host: Host, now: float) -> Gate:
        self._forget_idle(now)
        self._gates[address] = gate = Gate(self._connections, self._interval_s)
        if self.sharing is not None:
            gate.connections = max(gate.connections, host.connections)
            gate.place = self.sharing.at(address, gate.connections)
            gate.engines = gate.place.engines
            if gate.engines > 1:
                gate.asked_at = now  # maybe, by another engine
        return gate

    def _connections_at(self, gate: Gate) -> int:
        connections = int(gate.connections * self._share) if gate.is_shared else gate.connections
        return max(1, connections // gate.engines)

    def _interval_at(self, gate: Gate) -> float:
        return gate.engines * (gate.interval_s / self._share if gate.is_shared else gate.interval_s)

    def _next_at(self, gate: Gate) -> float:
        """The time before which no request may start."""
        return gate.asked_at + self._interval_at(gate)

    def _look_for_others(self, gate: Gate, host: Host) -> None:
        bucket = bucket_of(host.name)
        gate.bucket = gate.bucket or bucket
        if bucket != gate.bucket and not gate.is_shared:
            gate.is_shared = True
            self._await(gate)  # by the longer interval

    def _await(self, gate: Gate, not_before: float = -inf) -> None:
        """Have the gate opened again, if hosts wait at it and it depends on time alone."""
        if gate.waiting and gate.active < self._connections_at(gate):
            self._waiting.push(max(self._next_at(gate), not_before), gate)

    def _forget_idle(self, now: float) -> None:
        if len(self._gates) >= self._to_keep:
            self._gates = {
                address: gate
                for address, gate in self._gates.items()
                if gate.active or gate.waiting or now < self._next_at(gate)
            }
            self._to_keep = max(GATES_TO_KEEP, 2 * len(self._gates))  # not one by one where all are in use
