"""Lines in byte order, however many: sorted in runs, which lie in one file without a name, so memory is bounded."""

from __future__ import annotations

import heapq
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

RUN_LINES = 10_000  # sorted in memory at once: some 7 MB
READ_BYTES = 64 * 1024  # of each run at once; of many runs less, so that all together take MERGED_BYTES
MERGED_BYTES = 8 * 1024 * 1024


class SortedLines:
    """Lines in their order, without line ends; `count` is how many. They can be had once."""

    def __init__(self, lines: Iterable[bytes], scratch: Path, run_lines: int = RUN_LINES) -> None:
        self.count = 0
        self._last: list[bytes] = []  # the only run, when one is enough
        self._runs: list[tuple[int, int]] = []  # where each lies in the file
        self._scratch = scratch
        self._fd: int | None = None
        remaining = iter(lines)
        try:
            while run := sorted(islice(remaining, run_lines)):
                self.count += len(run)
                if len(run) < run_lines and not self._runs:
                    self._last = run
                else:
                    self._keep(run)
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[bytes]:
        with closing(self):
            read_bytes = min(READ_BYTES, MERGED_BYTES // max(1, len(self._runs)))
            yield from heapq.merge(self._last, *(self._lines_of(*run, read_bytes) for run in self._runs))

    def close(self) -> None:
        """The rest is not wanted."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _keep(self, run: list[bytes]) -> None:
        if self._fd is None:
            self._fd, name = tempfile.mkstemp(dir=self._scratch, prefix=".sort-")
            os.unlink(name)
        start = self._runs[-1][1] if self._runs else 0
        data = memoryview(b"\n".join((*run, b"")))
        self._runs.append((start, start + len(data)))
        while data:
            data = data[os.write(self._fd, data) :]

    def _lines_of(self, start: int, end: int, read_bytes: int) -> Iterator[bytes]:
        assert self._fd is not None
        rest = b""
        while start < end:
            chunk = os.pread(self._fd, min(read_bytes, end - start), start)
            start += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            yield from lines
