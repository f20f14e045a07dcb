"""How often one IP address is asked, however many hosts it serves."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from math import inf

from weft.frontier.heap import TicketHeap
from weft.frontier.host import Host
from weft.url import bucket_of

# Gates that nobody uses are forgotten when there are more than this.
GATES_TO_KEEP = 10_000
# Should a host that is let in not go through, the next has its chance this much later.
STEP_S = 0.01


class Gate:
    """One address."""

    __slots__ = (
        "active", "asked_at", "bucket", "connections", "engines", "interval_s", "is_shared", "ticket", "waiting",
    )  # fmt: skip

    def __init__(self, connections: int, interval_s: float) -> None:
        # As the crawl has them; or more, where one of its hosts may have more.
        self.connections = connections
        self.interval_s = interval_s
        self.bucket = b""  # of the first host that was seen here …
        self.is_shared = False  # … and whether one of another bucket was: then other machines may ask there, too
        self.engines = 1  # of this crawl on this machine that ask there
        self.active = 0  # requests under way
        self.asked_at = -inf  # monotonic time of the last request that started
        self.ticket = 0
        # Hosts in the order in which they came; made for the first one, as most addresses have one host.
        # Filled by Gates.is_shut, emptied by Gates.open; bound: hosts.
        self.waiting: deque[tuple[Host, int]] | None = None


class Gates:
    """All addresses that are asked now. Those with hosts waiting stand in the frontier's heap by time.

    An address that only a proxy knows is "", and has no gate.
    """

    def __init__(self, waiting: TicketHeap[Host | Gate], *, connections: int, interval_s: float) -> None:
        self._waiting = waiting
        self._connections = connections
        self._interval_s = interval_s
        self._share = 1.0  # of what an address with hosts of several sites can bear; other machines have the rest
        self._gates: dict[str, Gate] = {}
        # Notes that this engine asks an address; how many do, where a crawl has several.
        self.engines_at: Callable[[str], int] | None = None

    def is_shut(self, address: str, host: Host, now: float) -> bool:
        """Whether the host has to wait; if so, it does from now on."""
        gate = self._gates.get(address)
        if gate is None:
            return False
        if self._share < 1.0:
            self._look_for_others(gate, host)
        if self.engines_at is not None:
            gate.engines = self.engines_at(address)
        if gate.active < self._connections_at(gate) and now >= self._next_at(gate):
            return False
        if gate.waiting is None:
            gate.waiting = deque()
        gate.waiting.append((host, host.ticket))
        if len(gate.waiting) == 1:
            self._await(gate)
        return True

    def share(self, share: float) -> None:
        """From now on this much of each address that several sites share is ours."""
        self._share = share

    def enter(self, address: str, host: Host, now: float) -> None:
        """A request of a host to the address starts."""
        if not address:
            return
        if address not in self._gates:
            self._forget_idle(now)
            self._gates[address] = Gate(self._connections, self._interval_s)
        gate = self._gates[address]
        if host.connections > gate.connections:
            gate.connections = host.connections
        if host.address_interval_s < gate.interval_s:
            gate.interval_s = host.address_interval_s
        gate.active += 1
        gate.asked_at = now
        if self.engines_at is not None:
            gate.engines = self.engines_at(address)
        if self._share < 1.0:
            self._look_for_others(gate, host)

    def leave(self, address: str, *, unused: bool = False) -> None:
        """A request to the address has ended, or was not made after all."""
        if not address:
            return
        gate = self._gates[address]
        gate.active -= 1
        if unused:
            gate.asked_at = -inf
        self._await(gate)

    def open(self, gate: Gate, now: float) -> Host | None:
        """A gate's time has come: the host that has waited longest and still wants to."""
        host = None
        while host is None and gate.waiting:
            first, ticket = gate.waiting.popleft()
            host = first if first.ticket == ticket else None
        self._await(gate, not_before=now + max(self._interval_at(gate), STEP_S))
        return host

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
        if len(self._gates) >= GATES_TO_KEEP:
            self._gates = {
                address: gate
                for address, gate in self._gates.items()
                if gate.active or gate.waiting or now < self._next_at(gate)
            }
