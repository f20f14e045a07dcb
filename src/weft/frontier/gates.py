"""How often one IP address is asked, however many hosts it serves."""

from __future__ import annotations

from collections import deque
from math import inf

from weft.frontier.host import Host

# Gates that nobody uses are forgotten when there are more than this.
GATES_TO_KEEP = 10_000


class Gate:
    """One address."""

    __slots__ = ("active", "next_at", "ticket", "waiting")

    def __init__(self) -> None:
        self.active = 0  # requests under way
        self.next_at = -inf  # monotonic time before which no request may start
        self.ticket = 0  # of its entry in the waiting heap; 0: it has none
        # Hosts in the order in which they came. Filled by Gates.is_shut, emptied by Gates.first_in_line; bound: hosts.
        self.waiting: deque[tuple[Host, int]] = deque()


class Gates:
    """All addresses that are asked now."""

    def __init__(self, *, connections: int, interval_s: float) -> None:
        self._connections = connections
        self._interval_s = interval_s
        self._gates: dict[str, Gate] = {}

    def is_shut(self, address: str, host: Host, now: float) -> Gate | None:
        """The gate, if the host has to wait at it; None if it may go on."""
        gate = self._gates.get(address)
        if gate is None or (gate.active < self._connections and now >= gate.next_at):
            return None
        gate.waiting.append((host, host.ticket))
        return gate

    def enter(self, address: str, now: float) -> None:
        """A request to the address starts."""
        if address not in self._gates:
            self._forget_idle(now)
            self._gates[address] = Gate()
        gate = self._gates[address]
        gate.active += 1
        gate.next_at = now + self._interval_s

    def leave(self, address: str) -> Gate:
        """A request to the address has ended."""
        gate = self._gates[address]
        gate.active -= 1
        return gate

    def opens_at(self, gate: Gate) -> float | None:
        """When the next host that waits may go on; None when that depends on the end of a request, or none waits."""
        return gate.next_at if gate.waiting and gate.active < self._connections else None

    def first_in_line(self, gate: Gate) -> Host | None:
        """The host that has waited longest and still wants to."""
        while gate.waiting:
            host, ticket = gate.waiting.popleft()
            if host.ticket == ticket:
                return host
        return None

    def _forget_idle(self, now: float) -> None:
        if len(self._gates) >= GATES_TO_KEEP:
            self._gates = {
                address: gate
                for address, gate in self._gates.items()
                if gate.active or gate.waiting or now < gate.next_at
            }
