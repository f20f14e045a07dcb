"""What the user's functions made of pages: `items.jsonl`, with the items of each archived page exactly once.

    page's batch ──add──▶ `items` row ──move, once the page's record is safe on disk──▶ line in the file

A row is written with its page, so both are there or neither. It leaves with the batch that moves `items-end`, the
length up to which the file is true; after any stop the file is cut to it, and the rows that are left follow again.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from weft.crash_points import crash_point
from weft.errors import BadInput, FolderError, told_when_full
from weft.in_thread import in_thread
from weft.missing_library import how_to_install
from weft.state import Batch, State, sync_path

# Of files that items can be written to: `export.items` does.
ITEMS_ENDINGS: Final = (".jsonl", ".csv", ".parquet", ".sqlite", ".sqlite3", ".db")
ITEMS_END = b"items-end"


class Items:
    """The items of one crawl; `count` is how many are in the file."""

    def __init__(self, state: State, path: Path) -> None:
        self._state = state
        self.path = path
        row = state.get("meta", ITEMS_END)
        self._end, self.count = msgspec.msgpack.decode(row, type=tuple[int, int]) if row else (0, 0)

    @property
    def end(self) -> int:
        """The length up to which the file is true."""
        return self._end

    def add(self, batch: Batch, record: bytes, items: list[bytes]) -> None:
        """The items of the page whose record has this key: its file and offset."""
        batch.put("items", record, b"".join(item + b"\n" for item in items))

    def recover(self, batch: Batch) -> None:
        """Cut off what was written without its batch. A file that somebody took away begins again."""
        if not self.path.exists():
            if self._end:
                self._end = self.count = 0
                self._put_end(batch)
            return
        length = self.path.stat().st_size
        if length < self._end:
            raise lost_lines(self.path)
        os.truncate(self.path, self._end)

    async def move(self, batch: Batch, ranges: list[tuple[bytes, bytes]]) -> None:
        """Bring the rows of records that are safe on disk into the file."""
        lines: list[bytes] = []
        for start, stop in ranges:
            lines += (row for _, row in self._state.scan("items", start, stop))
        if not lines:
            return
        data = b"".join(lines)
        with told_when_full("items.jsonl"):
            await in_thread(_append, self.path, self._end, data)
        crash_point("items-appended")
        self._end += len(data)
        self.count += data.count(b"\n")  # JSON has none within
        self._put_end(batch)
        for start, stop in ranges:
            batch.delete_range("items", start, stop)

    def _put_end(self, batch: Batch) -> None:
        batch.put("meta", ITEMS_END, msgspec.msgpack.encode((self._end, self.count)))


def _append(path: Path, end: int, data: bytes) -> None:
    try:
        fd = os.open(path, os.O_WRONLY | (0 if end else os.O_CREAT) | os.O_CLOEXEC, 0o644)
    except FileNotFoundError as error:
        raise FolderError(f"{path} was taken away while the crawl runs; `weft resume` begins it again") from error
    with open(fd, "wb") as file:
        if os.fstat(fd).st_size < end:  # somebody shortened it meanwhile: zeros would fill the gap
            raise lost_lines(path)
        file.seek(end)
        file.write(data)
        file.flush()
        os.fsync(fd)
    if not end:  # a new file's name must survive as well
        sync_path(path.parent)


def lost_lines(path: Path) -> FolderError:
    """What is to be told of a file that is shorter than it was."""
    return FolderError(f"{path} has lost lines that were safely on disk; move it away to go on")


def adopt_items(batch: Batch, path: Path) -> None:
    """Take a file as it is, when nothing is known of it: up to its last whole line."""
    batch.put("meta", ITEMS_END, msgspec.msgpack.encode(adopted(path)))


def adopted(path: Path) -> tuple[int, int]:
    """Up to where a file has whole lines, and how many."""
    end = lines = 0
    if path.exists():
        with path.open("rb") as file:
            for line in file:
                if line.endswith(b"\n"):
                    end += len(line)
                    lines += 1
    return end, lines


def check_items_file(path: Path) -> None:
    """BadInput if no items can be written to a file of this name."""
    if path.suffix not in ITEMS_ENDINGS:
        known = ".jsonl, .csv, .parquet or .sqlite"
        raise BadInput(f"items are written to {known}, by the ending of the file: {path} has another")
    if path.suffix == ".parquet" and find_spec("pyarrow") is None:
        raise BadInput(f"Parquet files are written by pyarrow, which is not there: {how_to_install('pyarrow')}")
    if path.is_dir():
        raise BadInput(f"{path} is a folder: name a file in it")
