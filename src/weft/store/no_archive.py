"""A crawl that keeps no archive (`--archive none`): pages are committed as always, but no record is.

    worker:  Fetched ──Nowhere.write──▶ a Location without a file
    engine:  its page row has no file; what must be read again is fetched again (`pipeline.relax`)

Items have rows in the order in which they came, in the place of records: there is none whose safety they wait for.
"""

from __future__ import annotations

from collections.abc import Iterable

from weft.in_thread import in_thread
from weft.state import Batch
from weft.store.archive import Archive, record_key
from weft.store.nowhere import NO_FILE
from weft.store.open_file import OpenFile
from weft.types import Location


class NoArchive(Archive):
    """The table of WARC files of a crawl that has none."""

    _next_item: int | None = None  # once there is one

    def file_for(self, slot: int) -> OpenFile:
        return OpenFile("", NO_FILE, 0)

    def commit(self, batch: Batch, location: Location, url_id: bytes) -> None:
        pass

    def place_of(self, file_id: int) -> tuple[int | None, str]:
        return None, ""

    def is_full(self, file_id: int) -> bool:
        return False

    def add_items(self, batch: Batch, location: Location, items: list[bytes]) -> None:
        number = self._items_end()
        self.items.add(batch, record_key(NO_FILE, number), items)
        self._next_item = number + 1

    async def sync(self) -> None:
        """Bring the items into their file, and make everything committed survive a power cut."""
        async with self._syncing:
            batch = self._state.batch()
            await self.items.move(batch, [(record_key(NO_FILE, 0), record_key(NO_FILE, self._items_end()))])
            self._state.write(batch)
            await in_thread(self._state.sync)

    def _items_end(self) -> int:
        """Behind the last row, also of those that an earlier run left."""
        if self._next_item is None:
            left = self._numbers_of(self._state.scan("items", record_key(NO_FILE, 0), record_key(NO_FILE + 1, 0)))
            self._next_item = max(left, default=-1) + 1
        return self._next_item

    @staticmethod
    def _numbers_of(rows: Iterable[tuple[bytes, bytes]]) -> Iterable[int]:
        return (int.from_bytes(key[4:], "big") for key, _ in rows)
