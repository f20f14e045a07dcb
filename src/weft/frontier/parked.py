"""Who was left for another run, and why."""

from __future__ import annotations

NAMED = 1000


class Parked:
    """Hosts and authorities: all are counted, the first thousand named."""

    def __init__(self) -> None:
        self.count = 0
        self.reasons: dict[str, str] = {}

    def add(self, name: str, why: str) -> None:
        """Leave a host or an authority for another run; once for each."""
        self.count += name not in self.reasons
        if len(self.reasons) < NAMED:
            self.reasons[name] = why

    def remove(self, name: str) -> None:
        """It is not left after all."""
        self.count -= self.reasons.pop(name, None) is not None
