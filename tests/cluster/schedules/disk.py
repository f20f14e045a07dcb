"""What a node has on its disk: rows and records, and what of them survives a power cut."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from weft.state import FAMILIES, Batch, Family, State
from weft.store import Archive, record_key
from weft.store.archive import WarcRow
from weft.store.items import Items
from weft.types import Location

SYNC_S: Final = 0.03

Change = Callable[["Rows"], None]


class Rows:
    """One family."""

    def __init__(self) -> None:
        self.values: dict[bytes, bytes] = {}
        self.keys: list[bytes] = []

    def put(self, key: bytes, value: bytes) -> None:
        if key not in self.values:
            insort(self.keys, key)
        self.values[key] = value

    def delete(self, key: bytes) -> None:
        if key in self.values:
            del self.values[key]
            del self.keys[bisect_left(self.keys, key)]

    def delete_range(self, start: bytes, stop: bytes) -> None:
        first, last = bisect_left(self.keys, start), bisect_left(self.keys, stop)
        for key in self.keys[first:last]:
            del self.values[key]
        del self.keys[first:last]

    def copy(self) -> Rows:
        other = Rows()
        other.values, other.keys = dict(self.values), list(self.keys)
        return other


class MemoryBatch(Batch):
    """Changes, until they are written."""

    __slots__ = ("changes",)

    def __init__(self) -> None:
        self.changes: list[tuple[Family, Change]] = []

    def put(self, family: Family, key: bytes, value: bytes) -> None:
        self.changes.append((family, lambda rows: rows.put(key, value)))

    def delete(self, family: Family, key: bytes) -> None:
        self.changes.append((family, lambda rows: rows.delete(key)))

    def delete_range(self, family: Family, start: bytes, stop: bytes) -> None:
        self.changes.append((family, lambda rows: rows.delete_range(start, stop)))


class Disk:
    """It outlives processes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.rows = {family: Rows() for family in FAMILIES}
        self._safe = {family: Rows() for family in FAMILIES}
        self._unsafe: list[MemoryBatch] = []  # written since
        self.records: dict[str, list[bytes]] = {}  # URL ids, by the name of their file
        self.safe_records: dict[str, int] = {}  # how many of each file survive a power cut

    def write(self, batch: MemoryBatch) -> None:
        """All of a batch or nothing."""
        self._apply(batch)
        self._unsafe.append(batch)

    def sync(self) -> None:
        """Everything written survives a power cut."""
        for batch in self._unsafe:
            for family, change in batch.changes:
                change(self._safe[family])
        self._unsafe = []

    def cut_power(self, rows_kept: float, records_kept: float) -> None:
        """What was not synced is kept in part: the first batches, the first records."""
        kept = self._unsafe[: round(rows_kept * len(self._unsafe))]
        self.rows = {family: rows.copy() for family, rows in self._safe.items()}
        self._unsafe = []
        for batch in kept:
            self.write(batch)
        for name, records in self.records.items():
            safe = self.safe_records.get(name, 0)
            del records[safe + round(records_kept * (len(records) - safe)) :]

    def _apply(self, batch: MemoryBatch) -> None:
        for family, change in batch.changes:
            change(self.rows[family])


class MemoryState(State):
    """The rows as a process sees them."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def batch(self) -> MemoryBatch:
        return MemoryBatch()

    def write(self, batch: Batch) -> None:
        assert isinstance(batch, MemoryBatch)
        self._disk.write(batch)

    def get(self, family: Family, key: bytes) -> bytes | None:
        return self._disk.rows[family].values.get(key)

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        rows = self._disk.rows[family]
        first = bisect_left(rows.keys, start)
        last = len(rows.keys) if stop is None else bisect_left(rows.keys, stop)
        return iter([(key, rows.values[key]) for key in rows.keys[first:last]])

    def sync(self) -> None:
        self._disk.sync()

    def close(self) -> None:
        pass


class NoItems(Items):
    """Nobody makes any."""

    def __init__(self) -> None:
        pass


class MemoryArchive(Archive):
    """One file a run; a record is the id of its page."""

    def __init__(self, disk: Disk, state: State) -> None:
        self._disk = disk
        self._state = state
        self._files = {int.from_bytes(key, "big"): _row(row) for key, row in state.scan("warc")}
        self._numbers = {}
        self._committed = set()
        self.items = NoItems()
        self._syncing = asyncio.Lock()

    def recover(self, batch: Batch) -> list[bytes]:
        """Those whose records a power cut took."""
        lost: list[bytes] = []
        for file_id, row in self._files.items():
            if not row.is_open:
                continue
            records = self._disk.records.setdefault(row.name, [])
            row.committed_end = min(row.committed_end, len(records))
            del records[row.committed_end :]
            self._disk.safe_records[row.name] = row.committed_end  # the real one syncs what it has cut
            row.is_open = False
            self._put(batch, file_id, row)
            for key, url_id in self._state.scan("unsynced", record_key(file_id, 0), record_key(file_id + 1, 0)):
                if int.from_bytes(key[4:], "big") >= row.committed_end:
                    batch.delete("unsynced", key)
                    lost.append(url_id)
        return lost

    def store(self, url_id: bytes) -> Location:
        """A worker writes a record."""
        own = [(file_id, row) for file_id, row in self._files.items() if row.is_open]
        if own:
            file_id, row = own[0]
        else:
            file_id = max(self._files, default=0) + 1
            row = self._files[file_id] = WarcRow(f"{self._disk.name}-{len(self._disk.records)}", 0)
            batch = self._state.batch()
            self._put(batch, file_id, row)
            self._state.write(batch)
            self._disk.records[row.name] = []
        records = self._disk.records[row.name]
        records.append(url_id)
        return Location(file_id, len(records) - 1, 1, len(records), "")

    async def sync(self) -> None:
        """First the records, then the rows."""
        async with self._syncing:
            ends = {file_id: row.committed_end for file_id, row in self._files.items() if row.is_open}
            await asyncio.sleep(SYNC_S)
            batch = self._state.batch()
            for file_id, end in ends.items():
                row = self._files[file_id]
                self._disk.safe_records[row.name] = row.synced_end = end
                self._put(batch, file_id, row)
                batch.delete_range("unsynced", record_key(file_id, 0), record_key(file_id, end))
            self._state.write(batch)
            await asyncio.sleep(SYNC_S)
            self._disk.sync()


def _row(row: bytes) -> WarcRow:
    return msgspec.msgpack.decode(row, type=WarcRow)
