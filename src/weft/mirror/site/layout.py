"""Is there a mirror in a folder, and how does it stand?"""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from weft.errors import FolderError
from weft.folder.history import UPDATE
from weft.folder.layout import CRAWL_FOLDER, CrawlFolder, database_of
from weft.folder.reading import CrawlReader
from weft.mirror.rows import FILES
from weft.state import is_at

DONE, LEFT_FOR_LATER = b"done", b"left-for-later"


class Standing(Enum):
    """How far a mirror is."""

    NONE = "none"
    UNFINISHED = "unfinished"  # a run was stopped, or reached a limit
    UPDATE_UNFINISHED = "update-unfinished"
    LEFT_FOR_LATER = "left-for-later"  # all was asked, but hosts did not answer
    DONE = "done"


def standing_of(root: Path) -> Standing:
    """How the mirror in a folder stands; FolderError if something else is in it."""
    folder = root / CRAWL_FOLDER
    if not CrawlFolder.is_one(folder):
        if root.exists() and (not root.is_dir() or any(path.name != CRAWL_FOLDER for path in root.iterdir())):
            raise FolderError(f"{root} is no mirror, and it is not empty; give another folder by -o")
        return Standing.NONE
    if not is_at(database_of(folder)):
        return Standing.UNFINISHED
    with CrawlReader(folder) as crawl:
        files, is_update = crawl.state.get("meta", FILES), crawl.state.get("meta", UPDATE) is not None
    if files is None:
        return Standing.UPDATE_UNFINISHED if is_update else Standing.UNFINISHED
    return Standing.DONE if files == DONE else Standing.LEFT_FOR_LATER
