"""What updates replaced or removed: `versions/DATE/`, by the names that the files had.

    update begins   its date is noted (`folder.history`), so that one that is killed goes on with the same folder
    a file changes  the old one gets a second name there, before the new one takes its place
    end             what turned out to be the same after all goes, and the oldest versions beyond the number kept

A file is kept once: what an update that was stopped has written in between was never the state of the site. Each step
can be done again, so after a kill at any moment the folder becomes what it would have been.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from weft.errors import told_in_words
from weft.mirror.paths import VERSIONS, half_written
from weft.regex import regex

_VERSION_NAME: Final = regex(r"\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z", re.ASCII)  # of `version_name`


def version_name(at: float) -> str:
    """The folder of an update that began at this time."""
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H%M%S.%f}"[:-3] + "Z"


class Version:
    """What one update keeps."""

    def __init__(self, root: Path, name: str) -> None:
        self._root = str(root)
        self._folder = f"{root}/{VERSIONS}/{name}"

    def keep(self, path: str) -> None:
        """Keep a file as it is now, unless one of its name is kept already, or there is none but a link or a folder."""
        old, kept = f"{self._root}/{path}", f"{self._folder}/{path}"
        if os.path.islink(old) or not os.path.isfile(old):
            return
        with told_in_words(kept):
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            try:
                os.link(old, kept)
            except (FileExistsError, FileNotFoundError):
                return
            except OSError:  # a file system without second names
                if not os.path.exists(kept):
                    shutil.copy2(old, half_written(kept))
                    os.replace(half_written(kept), kept)

    def settle(self) -> None:
        """Let go what is as it was, and folders that are empty."""
        with told_in_words(self._folder):
            for folder, _, names in os.walk(self._folder, topdown=False):
                for name in names:
                    kept = os.path.join(folder, name)
                    now = os.path.join(self._root, os.path.relpath(kept, self._folder))
                    if name.startswith(".") or (os.path.isfile(now) and filecmp.cmp(kept, now, shallow=False)):
                        os.unlink(kept)
                with suppress(OSError):
                    os.rmdir(folder)
            with suppress(OSError):
                os.rmdir(f"{self._root}/{VERSIONS}")


def prune(root: Path, most: int) -> None:
    """Remove the oldest versions beyond a number. Other folders are the user's."""
    folder = root / VERSIONS
    with told_in_words(folder):
        there = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
        names = sorted(filter(_VERSION_NAME.fullmatch, there))
        for name in names[: max(len(names) - most, 0)]:
            shutil.rmtree(folder / name)
