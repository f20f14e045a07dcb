"""How a crawl stands, read from its folder: for whoever looks on from wherever."""

from __future__ import annotations

from pathlib import Path

from weft.folder.layout import crawl_in, is_worked_on, load_config
from weft.live.history import HISTORY, read_moments
from weft.live.status import Moment, Status
from weft.live.status_file import as_it_is, load_status


def checked_folder(folder: Path) -> Path:
    """The crawl folder that is meant; FolderError when there is none."""
    folder = crawl_in(folder)
    load_config(folder)
    return folder


def read_status(folder: Path) -> Status | None:
    """How the crawl in a folder stands, or stood when it ended or was killed; None: nobody has written it yet."""
    if (status := load_status(folder)) is None:
        return None
    return as_it_is(status, is_worked_on=is_worked_on(folder))


def read_history(folder: Path) -> list[Moment]:
    """The points of its curves, the oldest first; at most 1,200, evenly spread over all its runs."""
    return read_moments(folder / HISTORY)
