"""The rows and files of several folders, as if they were one's: those of a cluster's nodes.

A row may be in several folders, as a node keeps its rows when it is killed or leaves, and others go on with its hosts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path

import msgspec

from weft.errors import FolderError
from weft.folder.page_rows import decode_page, sides_in
from weft.folder.refused_rows import RuleRow, decode_rule
from weft.state import Family, State
from weft.store import Archive
from weft.types import Link, PageRow, SideRow
from weft.url import BUCKET_BYTES, id_of

_encode = msgspec.msgpack.Encoder().encode
_decode_link = msgspec.msgpack.Decoder(Link).decode
_key = itemgetter(0)


class JoinedFiles:
    """The WARC files of several folders. One that is in none of them is known by its name only."""

    def __init__(self, archives: Sequence[Archive]) -> None:
        self._names: dict[int, str] = {}
        self._homes: dict[int, tuple[Archive, int]] = {}  # whose it is, and its number there
        self._archives = archives
        numbers: dict[str, int] = {}
        self.number_in: list[dict[int, int]] = []  # for each folder, from its numbers to the common ones
        for archive in archives:
            common: dict[int, int] = {0: 0}
            for file_id, name in archive.names():
                number = common[file_id] = numbers.setdefault(name, len(numbers) + 1)
                self._names[number] = name
                if not archive.is_elsewhere(file_id):
                    self._homes[number] = archive, file_id
            self.number_in.append(common)

    def path_of(self, file_id: int) -> Path:
        """Where the file is now. FolderError if it is in none of the folders."""
        if file_id not in self._homes:
            raise FolderError(f"{self._names[file_id]} lies in the folder of another node; name that one, too")
        archive, own_id = self._homes[file_id]
        return archive.path_of(own_id)

    def name_of(self, file_id: int) -> str:
        """The file's final name."""
        return self._names[file_id]

    def is_elsewhere(self, file_id: int) -> bool:
        """Whether it is in none of the folders."""
        return file_id not in self._homes

    def names(self) -> Iterator[tuple[int, str]]:
        """All of them, also those that are elsewhere."""
        return iter(self._names.items())

    def files(self) -> list[tuple[Path, str, int]]:
        """Those that are here: where each is now, its final name, and up to which byte it is committed."""
        return list(chain.from_iterable(archive.files() for archive in self._archives))


class JoinedRows:
    """The rows of several folders, each once."""

    def __init__(self, states: Sequence[State], files: JoinedFiles) -> None:
        self._states = states
        self._files = files

    def get(self, family: Family, key: bytes) -> bytes | None:
        """One row's value, in whichever folder."""
        return next((row for state in self._states if (row := state.get(family, key)) is not None), None)

    def smallest(self, family: Family, key: bytes) -> bytes | None:
        """Of all folders' values of a row the smallest one."""
        return min((row for state in self._states if (row := state.get(family, key)) is not None), default=None)

    def scan(self, family: Family, start: bytes = b"", stop: bytes | None = None) -> Iterator[tuple[bytes, bytes]]:
        """Rows with start ≤ key < stop, in order; of those of one key that with the smallest value."""
        rows = merge(*(state.scan(family, start, stop) for state in self._states))
        if family in ("queue", "over"):
            return self._waiting(rows)
        by_key = groupby(rows, key=_key)
        if family == "rule":
            return ((key, _added_up(value for _, value in same)) for key, same in by_key)
        return (next(same) for _, same in by_key)

    def pages(self) -> Iterator[PageRow]:
        """The newest row of each page, with the common numbers of files; of two for one answer, the nearer one."""
        rows = merge(*(_numbered(state, number) for number, state in enumerate(self._states)))
        for _, same in groupby(rows, key=_key):
            yield max((self._page(number, row) for _, number, row in same), key=_which_counts)

    def page(self, url_id: bytes) -> PageRow | None:
        """Likewise, of one URL."""
        rows = ((number, state.get("page", url_id)) for number, state in enumerate(self._states))
        found = [self._page(number, row) for number, row in rows if row is not None]
        return max(found, key=_which_counts, default=None)

    def sides(self) -> Iterator[tuple[int, int, SideRow]]:
        """All records that are no page's: file, offset, row."""
        for state, number_of in zip(self._states, self._files.number_in, strict=True):
            for file_id, offset, row in sides_in(state):
                yield number_of[file_id], offset, row

    def _page(self, number: int, row: bytes) -> PageRow:
        page, number_of = decode_page(row), self._files.number_in[number]
        original = page.original
        if original is not None:
            original = msgspec.structs.replace(original, file=number_of[original.file])
        return msgspec.structs.replace(page, file=number_of[page.file], original=original)

    def _waiting(self, rows: Iterator[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        """What waits at a host: each URL once, and none that was visited since by another node."""
        for _, at_hosts in groupby(rows, key=lambda row: row[0][:BUCKET_BYTES]):
            known: set[bytes] = set()  # bound: rows of one bucket
            for key, row in at_hosts:
                page_id = id_of(_decode_link(row))
                if page_id not in known and self.get("page", page_id) is None:
                    known.add(page_id)
                    yield key, row


def _which_counts(page: PageRow) -> tuple[float, int]:
    return page.fetched_at, -page.depth


def _numbered(state: State, number: int) -> Iterator[tuple[bytes, int, bytes]]:
    return ((key, number, row) for key, row in state.scan("page"))


def _added_up(rows: Iterator[bytes]) -> bytes:
    first, *others = map(decode_rule, rows)
    for row in others:
        first = RuleRow(first.listed + row.listed, first.more + row.more)
    return _encode(first)
