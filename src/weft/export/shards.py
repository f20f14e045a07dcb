"""Files of an export that is cut by size: NAME-00001.parquet, NAME-00002.parquet, …

They are written in a hidden folder beside their place, `.NAME.parquet.part`, and moved when all of them are whole;
those of an earlier export go first. So a kill leaves no part of a file under a shard's name. If it falls between the
first and the last move, some shards are missing: the next run, with --force, sets it right.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from weft.crash_points import crash_point
from weft.errors import BadInput, told_in_words
from weft.state import sync_path


class Outputs(Protocol):
    """Where rows are written: one file, or one after the other."""

    size_bytes: int | None  # of a file; None: there is one only

    def open(self) -> BinaryIO:
        """The next file; the one before is whole."""


class OneFile:
    """All in one."""

    size_bytes: int | None = None

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def open(self) -> BinaryIO:
        """The file."""
        return self._out


class Shards:
    """Files in a folder, numbered from 1 on."""

    def __init__(self, folder: Path, stem: str, suffix: str, size_bytes: int) -> None:
        self.size_bytes: int | None = size_bytes
        self.paths: list[Path] = []
        self._folder, self._stem, self._suffix = folder, stem, suffix
        self._out: BinaryIO | None = None

    def open(self) -> BinaryIO:
        """The next file."""
        self.close()
        path = shard_path(self._folder / (self._stem + self._suffix), len(self.paths) + 1)
        self._out = path.open("w+b")
        self.paths.append(path)
        return self._out

    def close(self) -> None:
        """The last one is whole, and on the disk."""
        if self._out is not None:
            self._out.flush()
            os.fsync(self._out.fileno())
            self._out.close()
            self._out = None
            crash_point("shard-written")


@contextmanager
def sharded(path: Path, size_bytes: int, *, replaces: bool) -> Iterator[Shards]:
    """Shards by the name of a file, which have their names when the block ends well."""
    folder = path.absolute().parent
    earlier = earlier_shards(path)
    if earlier and not replaces:
        raise BadInput(f"{earlier[0]} is there already; --force replaces it and those that follow")
    hidden = folder / f".{path.name}.part"
    with told_in_words(path), _made_in(hidden):
        shards = Shards(hidden, path.stem, path.suffix, size_bytes)
        try:
            yield shards
        finally:
            shards.close()
        for old in earlier:
            old.unlink()
        for one in shards.paths:
            one.replace(folder / one.name)
            crash_point("shard-moved")
        sync_path(folder)


def shard_path(path: Path, number: int) -> Path:
    """What a shard is called, of an export with the name of a file."""
    return path.with_name(f"{path.stem}-{number:05}{path.suffix}")


def earlier_shards(path: Path) -> list[Path]:
    """Those of an earlier export with this name."""
    name = re.compile(rf"{re.escape(path.stem)}-\d{{5,}}{re.escape(path.suffix)}")
    folder = path.absolute().parent
    return sorted(one for one in folder.iterdir() if name.fullmatch(one.name)) if folder.is_dir() else []


@contextmanager
def _made_in(hidden: Path) -> Iterator[None]:
    """A folder for what is not whole yet; one that a killed process left is gone first."""
    shutil.rmtree(hidden, ignore_errors=True)
    hidden.mkdir()
    try:
        yield
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
