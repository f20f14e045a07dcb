"""The engine's side of the archive: which files there are, and how far each of them is true."""

from __future__ import annotations

import asyncio
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from struct import Struct
from typing import Final

import msgspec

from weft.clock import Clock
from weft.crash_points import crash_point
from weft.errors import FolderError
from weft.in_thread import in_thread
from weft.state import Batch, Family, State, sync_path
from weft.store.items import Items
from weft.store.open_file import OPEN_SUFFIX, OpenFile
from weft.store.records import whole_until
from weft.types import Location

ROTATE_AT_BYTES = 1_000_000_000
LOCK_PATIENCE_S = 10.0
ELSEWHERE = -1  # the slot of a file that is in another folder
RECORD_FAMILIES: tuple[Family, ...] = ("unsynced", "side", "items")  # their keys are record_key's

_record_key: Final = Struct(">IQ")
_encode = msgspec.msgpack.Encoder().encode


class FileNumbers(msgspec.Struct, frozen=True):
    """Which numbers an engine gives to its files: those that leave `rest` when they are divided by `step`.

    So the files of several engines, which lie in one folder, have different numbers, however many engines there are.
    """

    rest: int = 0
    step: int = 1

    def after(self, number: int) -> int:
        """The next one."""
        return number + 1 + (self.rest - number - 1) % self.step

    def has(self, file_name: str) -> bool:
        """Whether a file of this name has one of these numbers."""
        number = file_name.removesuffix(OPEN_SUFFIX).removesuffix(".warc.gz").rpartition("-")[2]
        return self.step == 1 or (number.isdecimal() and int(number) % self.step == self.rest)


ALL_NUMBERS = FileNumbers()


class WarcRow(msgspec.Struct, array_like=True):
    """One file. Up to committed_end its records have a page row; up to synced_end they survive power loss."""

    name: str
    slot: int
    is_open: bool = True
    committed_end: int = 0
    synced_end: int = 0


_decode = msgspec.msgpack.Decoder(WarcRow).decode


def add_finished_file(batch: Batch, file_id: int, name: str, end: int) -> None:
    """Make a file known that is whole and has its final name."""
    row = WarcRow(name, slot=0, is_open=False, committed_end=end, synced_end=end)
    batch.put("warc", _file_key(file_id), _encode(row))


def has_open_files(state: State) -> bool:
    """Whether there are files that have not got their final names."""
    return any(_decode(row).is_open for _, row in state.scan("warc"))


class Archive:
    """The table of WARC files."""

    def __init__(
        self,
        state: State,
        folder: Path,
        clock: Clock,
        rotate_at_bytes: int = ROTATE_AT_BYTES,
        label: str = "",
        file_numbers: FileNumbers = ALL_NUMBERS,
        items: Path | None = None,
    ) -> None:
        self._state = state
        self._folder = folder
        self._clock = clock
        self._rotate_at_bytes = rotate_at_bytes
        self._label = f"{label}-" if label else ""
        self._file_numbers = file_numbers
        self._files = {int.from_bytes(key, "big"): _decode(row) for key, row in state.scan("warc")}
        self._numbers: dict[str, int] = {}  # by name, once somebody asks; bound: files
        self._retired: set[int] = set()  # nothing more is written to them; renamed once synced
        self._committed: set[int] = set()  # files that the batch under way has records of
        self._syncing = asyncio.Lock()
        self.items = Items(state, items or folder.parent / "items.jsonl")

    def recover(self, batch: Batch) -> list[bytes]:
        """Make the files agree with the table after a stop of any kind.

        Returns the ids of pages whose records did not reach the disk before a power cut. They must return to the queue
        in the same batch; if it is never written, the next recovery finds the same again.
        """
        lost: list[bytes] = []
        self._refuse_older_state()
        self.items.recover(batch)
        for file_id, row in self._files.items():
            if row.is_open:
                lost += self._recover_file(batch, file_id, row)
        known = {row.name + OPEN_SUFFIX for row in self._files.values() if row.is_open}
        for path in self._folder.glob(f"weft-*.warc.gz{OPEN_SUFFIX}"):
            if path.name not in known and self._file_numbers.has(path.name):
                path.unlink()
        return lost

    def file_for(self, slot: int) -> OpenFile:
        """The file that the slot's worker writes to; a new one if it has none."""
        for file_id, row in self._files.items():
            if row.slot == slot and row.is_open and file_id not in self._retired:
                return OpenFile(str(self._path(row)), file_id, row.committed_end)
        file_id = self._file_numbers.after(max(self._files, default=0))
        stamp = datetime.fromtimestamp(self._clock.wall(), UTC).strftime("%Y%m%d%H%M%S")
        row = self._files[file_id] = WarcRow(f"weft-{stamp}-{self._label}{file_id:05}.warc.gz", slot)
        batch = self._state.batch()
        self._put(batch, file_id, row)
        self._state.write(batch)
        crash_point("file-known")
        return OpenFile(str(self._path(row)), file_id, 0)

    def elsewhere(self, batch: Batch, name: str) -> int:
        """The number of a file in another folder, in which records of pages are that have their rows here."""
        if len(self._numbers) != len(self._files):
            self._numbers = {row.name: file_id for file_id, row in self._files.items()}
        if name not in self._numbers:
            file_id = self._numbers[name] = max(self._files, default=0) + 1
            row = self._files[file_id] = WarcRow(name, ELSEWHERE, is_open=False)
            self._put(batch, file_id, row)
        return self._numbers[name]

    def is_elsewhere(self, file_id: int) -> bool:
        """Whether the file is in another folder."""
        row = self._files.get(file_id)
        return row is not None and row.slot == ELSEWHERE

    def commit(self, batch: Batch, location: Location, url_id: bytes) -> None:
        """A page's record becomes part of the archive. Must be called in the order of the file."""
        file_id = location.file
        self._files[file_id].committed_end = location.end
        self._committed.add(file_id)
        batch.put("unsynced", record_key(file_id, location.offset), url_id)

    def seal(self, batch: Batch) -> None:
        """Last before the write: add how far the files are true now."""
        for file_id in self._committed:
            self._put(batch, file_id, self._files[file_id])
        self._committed.clear()

    def add_items(self, batch: Batch, location: Location, items: list[bytes]) -> None:
        """What the user's functions made of the page whose record this is."""
        self.items.add(batch, record_key(location.file, location.offset), items)

    def is_full(self, file_id: int) -> bool:
        """True when the slot should go on in a new file."""
        return file_id not in self._retired and self._files[file_id].committed_end >= self._rotate_at_bytes

    def retire(self, file_id: int) -> None:
        """Nothing more will be written to the file: it gets its final name when it is safe on disk."""
        self._retired.add(file_id)

    def retire_all(self) -> None:
        """The crawl is over."""
        self._retired.update(file_id for file_id, row in self._files.items() if row.is_open)

    def is_safe(self, file_id: int, offset: int) -> bool:
        """Whether the record there survives a power cut, so that others may refer to it."""
        row = self._files.get(file_id)
        return row is not None and offset < row.synced_end

    def place_of(self, file_id: int) -> tuple[int | None, str]:
        """The worker slot that wrote the file, and the file's final name."""
        row = self._files[file_id]
        return row.slot, row.name

    def path_of(self, file_id: int) -> Path:
        """Where the file is now. FolderError if it is in another folder."""
        row = self._files[file_id]
        if row.slot == ELSEWHERE:
            raise FolderError(f"{row.name} lies in the folder of another node; name that one, too")
        return self._path(row)

    def files(self) -> list[tuple[Path, str, int]]:
        """Each file: where it is now, its final name, and up to which byte it is committed."""
        return [(self._path(row), row.name, row.committed_end) for row in self._files.values() if row.committed_end]

    def names(self) -> Iterator[tuple[int, str]]:
        """The number and the final name of each file, also of those in other folders."""
        return ((file_id, row.name) for file_id, row in self._files.items())

    def name_of(self, file_id: int) -> str:
        """The file's final name."""
        return self._files[file_id].name

    async def sync(self) -> None:
        """Make everything committed survive a power cut: first the files, then the rows that say so."""
        async with self._syncing:
            ends = {i: row.committed_end for i, row in self._files.items() if row.is_open}
            behind = [i for i, end in ends.items() if end != self._files[i].synced_end]
            await in_thread(_sync_files, [self._path(self._files[i]) for i in behind], self._folder)
            crash_point("files-synced")
            safe = [(record_key(i, 0), record_key(i, ends[i])) for i in behind]
            batch = self._state.batch()
            await self.items.move(batch, safe)
            for file_id, records in zip(behind, safe, strict=True):
                row = self._files[file_id]
                row.synced_end = ends[file_id]
                self._put(batch, file_id, row)
                batch.delete_range("unsynced", *records)
            self._state.write(batch)
            crash_point("sync-written")
            await in_thread(self._state.sync)
            self._finish_retired()

    def _finish_retired(self) -> None:
        for file_id in list(self._retired):
            row = self._files[file_id]
            if row.synced_end == row.committed_end:
                self._retired.discard(file_id)
                self._finish_file(file_id, row)

    def _finish_file(self, file_id: int, row: WarcRow) -> None:
        """Give a file its final name; one that no page came into is removed."""
        batch = self._state.batch()
        path = self._path(row)
        if row.committed_end:
            os.truncate(path, row.committed_end)
            sync_path(path)
            crash_point("renaming")
            path.rename(self._folder / row.name)
            sync_path(self._folder)
            crash_point("renamed")
            row.is_open = False
            self._put(batch, file_id, row)
        else:
            path.unlink(missing_ok=True)
            del self._files[file_id]
            batch.delete("warc", _file_key(file_id))
        self._state.write(batch)

    def _refuse_older_state(self) -> None:
        """A file gets its final name when its rows are safe: one that they do not fit is newer than they are."""
        ends = {row.name: row.committed_end for row in self._files.values()}
        for path in self._folder.glob("weft-*.warc.gz"):
            if path.name not in ends and not self._file_numbers.has(path.name):
                continue  # another engine's
            if path.stat().st_size != ends.get(path.name):
                raise FolderError(
                    f"the crawl's state does not fit {path}: it is damaged, or the file was changed; "
                    "`weft repair` makes it again from the archive"
                )

    def _recover_file(self, batch: Batch, file_id: int, row: WarcRow) -> list[bytes]:
        path = self._path(row)
        if not path.exists() and (self._folder / row.name).exists():
            row.is_open = False  # stopped between the renaming and the row
            self._put(batch, file_id, row)
            return []
        if row.synced_end and (not path.exists() or path.stat().st_size < row.synced_end):
            raise FolderError(f"{path} has lost records that were safely on disk; the archive was changed")
        starts = list(self._state.scan("unsynced", record_key(file_id, 0), record_key(file_id + 1, 0)))
        offsets = [int.from_bytes(key[4:], "big") for key, _ in starts]
        with _locked(path) as fd:
            boundaries = [min(row.synced_end, row.committed_end), *offsets, row.committed_end]
            row.committed_end = whole_until(fd, sorted({b for b in boundaries if b >= row.synced_end}))
            os.ftruncate(fd, row.committed_end)
            os.fsync(fd)  # what was cut off must not come back in the place of what follows
        row.synced_end = min(row.synced_end, row.committed_end)
        self._put(batch, file_id, row)
        lost = [(key, url_id) for (key, url_id), at in zip(starts, offsets, strict=True) if at >= row.committed_end]
        for key, _ in lost:
            for family in RECORD_FAMILIES:
                batch.delete(family, key)
        return [url_id for _, url_id in lost]

    def _path(self, row: WarcRow) -> Path:
        return self._folder / (row.name + OPEN_SUFFIX if row.is_open else row.name)

    def _put(self, batch: Batch, file_id: int, row: WarcRow) -> None:
        batch.put("warc", _file_key(file_id), _encode(row))


class _locked:  # noqa: N801 — used like a function
    """A WARC file opened under its lock. A worker that outlived its engine for a moment lets go of it as it dies."""

    def __init__(self, path: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._now = now

    def __enter__(self) -> int:
        self._fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        give_up_at = self._now() + LOCK_PATIENCE_S
        while True:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self._now() > give_up_at:
                    os.close(self._fd)
                    raise FolderError(f"{self._path} is still being written by another process") from None
                time.sleep(0.05)
            else:
                return self._fd

    def __exit__(self, *exc: object) -> None:
        os.close(self._fd)


def _file_key(file_id: int) -> bytes:
    return file_id.to_bytes(4, "big")


def record_key(file_id: int, offset: int) -> bytes:
    """A record's place as a key, in the order of the archive."""
    return _record_key.pack(file_id, offset)


def _sync_files(paths: list[Path], folder: Path) -> None:
    for path in paths:
        sync_path(path)
    if paths:
        sync_path(folder)
