"""Files of an export that is cut by size: NAME-00001.parquet, NAME-00002.parquet, …

    .NAME.parquet.part/ ──all are whole──▶ .NAME.parquet.whole/ ──one after the other──▶ their place
                        the folder's name   those of an earlier export go, too

They are written in a hidden folder beside their place. Once all of them are whole the folder is named so, which is done
or not done; then they are moved. A kill before that leaves those of an earlier export, one after it leaves moves that
the next export by this name makes before all else. So no part of a file ever has a shard's name.
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
    whole = folder / f".{path.name}.whole"
    with told_in_words(path):
        _move_out(whole, path)  # of an export that was killed
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
        sync_path(hidden)
        hidden.replace(whole)
        sync_path(folder)
        crash_point("shard-committed")
        _move_out(whole, path)


def _move_out(whole: Path, path: Path) -> None:
    """Have shards that are whole in their place, instead of all earlier ones; some may be there already.

    Earlier ones with higher numbers go before the last move: until then it is known which these are.
    """
    if not whole.is_dir():
        return
    shards = _shards_in(whole, path)
    for one in shards:
        if one is shards[-1]:
            for old in earlier_shards(path):
                if _number(old, path) > _number(one, path):
                    old.unlink()
        one.replace(whole.parent / one.name)
        crash_point("shard-moved")
    sync_path(whole.parent)
    whole.rmdir()


def shard_path(path: Path, number: int) -> Path:
    """What a shard is called, of an export with the name of a file."""
    return path.with_name(f"{path.stem}-{number:05}{path.suffix}")


def earlier_shards(path: Path) -> list[Path]:
    """Those of an earlier export with this name."""
    return _shards_in(path.absolute().parent, path)


def _shards_in(folder: Path, path: Path) -> list[Path]:
    """Those in a folder, by their numbers."""
    found = [one for one in folder.iterdir() if _number(one, path)] if folder.is_dir() else []
    return sorted(found, key=lambda one: _number(one, path))


def _number(shard: Path, path: Path) -> int:
    """Which one it is; 0 if it is no shard of this export."""
    name = re.fullmatch(rf"{re.escape(path.stem)}-(\d{{5,}}){re.escape(path.suffix)}", shard.name)
    return int(name[1]) if name else 0


@contextmanager
def _made_in(hidden: Path) -> Iterator[None]:
    """A folder for what is not whole yet; one that a killed process left is gone first."""
    shutil.rmtree(hidden, ignore_errors=True)
    hidden.mkdir()
    try:
        yield
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
