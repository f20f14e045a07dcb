"""A page that cannot be cleaned."""

from __future__ import annotations

from weft.errors import WeftError


class NotCleanable(WeftError):
    """What was given is no HTML page; `reason` says in a few words what it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
