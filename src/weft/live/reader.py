"""How a crawl stands, read from its folder: for whoever looks on from wherever."""

from __future__ import annotations

from pathlib import Path

from weft.live.status import Moment, Status


def read_status(folder: Path) -> Status | None:
    """How the crawl in a folder stands, or stood when it ended or was killed; None: nobody has written it yet."""
    raise NotImplementedError


def read_history(folder: Path) -> list[Moment]:
    """The points of its curves, the oldest first; at most 1,200, evenly spread over all its runs."""
    raise NotImplementedError
