"""The pages that are still to be done, in the archive's order, some at once.

A stretch lies in one WARC file, and no page that is done lies between two of its own: so what its entry in the journal
says holds, and the output is in the archive's order, however often the work was begun again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.export.selection import Selection
from weft.extract.journal import DoneTable
from weft.folder.archive_order import SortedRows
from weft.folder.reading import CrawlReader
from weft.types import PageRow

Place = tuple[int, bytes]  # offset, encoded row


class ToDo:
    """The wanted pages of a crawl that are not done; `count` is how many are left."""

    def __init__(self, reader: CrawlReader, selection: Selection, done: DoneTable, scratch: Path) -> None:
        self._reader = reader
        self._selection = selection
        self._done = done
        self._names: dict[int, str] = {}
        file_ids: set[int] = set()
        done_pages = 0

        def wanted() -> Iterator[PageRow]:
            nonlocal done_pages
            for row in filter(selection.takes, reader.rows()):
                if row.file:
                    file_ids.add(row.file)
                    if row.original is not None:
                        file_ids.add(row.original.file)
                    done_pages += bool(done) and done.is_done(self._name(row.file), row.offset)
                    yield row

        self._sorted = SortedRows(wanted(), scratch)
        self.count = self._sorted.count - done_pages
        self.files = {file_id: str(reader.path_of(file_id)) for file_id in file_ids}
        self._rows = self._sorted.encoded()
        self._ahead: tuple[int, int, bytes] | None = None  # read, and not given

    def take(self, most: int) -> tuple[str, list[Place]]:
        """The next pages, at most this many, and the name of their file; none at the end."""
        in_file = 0
        places: list[Place] = []
        while len(places) < most:
            found, self._ahead = self._ahead or next(self._rows, None), None
            if found is None:
                break
            file_id, offset, row = found
            if self._done and self._done.is_done(self._name(file_id), offset):
                if places:
                    break
                continue
            if places and file_id != in_file:
                self._ahead = found
                break
            in_file = file_id
            places.append((offset, row))
        self.count -= len(places)
        return (self._name(in_file) if places else ""), places

    def close(self) -> None:
        """The rest is not wanted."""
        self._sorted.close()

    def _name(self, file_id: int) -> str:
        if file_id not in self._names:
            self._names[file_id] = self._reader.file_name(file_id)
        return self._names[file_id]
