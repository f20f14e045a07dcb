"""Who was left for another run, and why."""

from __future__ import annotations

from weft.logs import logger

NAMED = 1000
_log = logger("hosts")


class Parked:
    """Hosts and authorities: all are counted, the first thousand named."""

    def __init__(self) -> None:
        self.count = 0
        self.reasons: dict[str, str] = {}

    def add(self, name: str, why: str) -> None:
        """Leave a host or an authority for another run; once for each."""
        if name not in self.reasons:
            self.count += 1
            _log.warning("%s is left for another run: %s", name, why)
        if len(self.reasons) < NAMED:
            self.reasons[name] = why

    def remove(self, name: str) -> None:
        """It is not left after all."""
        self.count -= self.reasons.pop(name, None) is not None
