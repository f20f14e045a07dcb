"""Rows of pages in the order in which the archive holds them, so that it is read from its beginning to its end.

The crawl's index has them in no order. They are sorted in runs, which lie in one file without a name: memory is
bounded whatever the crawl's size.
"""

from __future__ import annotations

import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

import msgspec

from weft.errors import told_in_words
from weft.types import PageRow

RUN_ROWS = 20_000  # sorted in memory at once: some 10 MB
READ_BYTES = 64 * 1024  # of each run at once

OFFSET_BITS = 40  # a WARC file is shorter than a terabyte
_PLACE_DIGITS = 16  # of 64 bits, in hexadecimal

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(PageRow).decode


def place_of(row: PageRow) -> int:
    """Where a page's record lies, as one number: the archive's order is theirs."""
    return row.file << OFFSET_BITS | row.offset


class SortedRows:
    """Rows by their places; `count` is how many. They can be had once."""

    def __init__(self, rows: Iterable[PageRow], scratch: Path, run_rows: int = RUN_ROWS) -> None:
        self.count = 0
        self._last: list[bytes] = []  # the only run, when one is enough
        self._runs: list[tuple[int, int]] = []  # where each lies in the file
        self._scratch = scratch
        self._file: int | None = None
        lines = (_line(row) for row in rows)
        with told_in_words("the order of the pages"):
            while run := sorted(islice(lines, run_rows)):
                self.count += len(run)
                if len(run) < run_rows and not self._runs:
                    self._last = run
                else:
                    self._keep(run)

    def __iter__(self) -> Iterator[PageRow]:
        with closing(self):
            runs = [_lines_of(self._file, start, end) for start, end in self._runs] if self._file is not None else []
            for line in heapq.merge(self._last, *runs):
                yield _decode(line[_PLACE_DIGITS:])

    def close(self) -> None:
        """The rest is not wanted."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _keep(self, run: list[bytes]) -> None:
        if self._file is None:
            self._file, name = tempfile.mkstemp(dir=self._scratch)
            os.unlink(name)
        start = self._runs[-1][1] if self._runs else 0
        data = memoryview(b"".join(run))
        end = start + len(data)
        while data:
            data = data[os.write(self._file, data) :]
        self._runs.append((start, end))


def _line(row: PageRow) -> bytes:
    return b"%016x" % place_of(row) + _encode(row) + b"\n"


def _lines_of(fd: int, start: int, end: int) -> Iterator[bytes]:
    rest = b""
    while start < end:
        chunk = os.pread(fd, min(READ_BYTES, end - start), start)
        start += len(chunk)
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
