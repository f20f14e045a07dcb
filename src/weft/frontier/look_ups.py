"""Hosts that are looked up, and those that wait for it.

To look a host up is a task, and takes more memory than the host does. So not all hosts of a large crawl are looked up
at once, but more than the resolver asks for at a time.

    enter ──▶ looked up ──▶ leave: its robots.txt is to be asked for, or its preparation has ended
       └────▶ waits ──▶ next
"""

from __future__ import annotations

from collections.abc import Mapping

from weft.frontier.host import Host

LOOK_UPS_AT_ONCE = 1_000


class LookUps:
    """Those that wait come first, in the order in which they came."""

    def __init__(self, bound: int) -> None:
        self._bound = bound
        self._names: set[str] = set()  # of hosts that are looked up
        # Tickets of hosts that wait, by name. Filled by enter, emptied by next; bound: hosts.
        self.waiting: dict[str, int] = {}

    def enter(self, host: Host) -> bool:
        """Whether the host may be looked up now; if not, it waits, unless it gets another ticket meanwhile."""
        if len(self._names) >= self._bound:
            self.waiting[host.name] = host.ticket
            return False
        self._names.add(host.name)
        return True

    def leave(self, name: str) -> None:
        """The host's address is known, or cannot be had."""
        self._names.discard(name)

    def next(self, hosts: Mapping[str, Host]) -> Host | None:
        """A host that has waited, and may be looked up now."""
        while self.waiting and len(self._names) < self._bound:
            name = next(iter(self.waiting))
            ticket = self.waiting.pop(name)
            if (host := hosts.get(name)) is not None and host.ticket == ticket:
                return host
        return None
