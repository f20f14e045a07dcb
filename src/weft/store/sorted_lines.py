"""Lines in byte order, however many: sorted in runs, which lie in one file without a name, so memory is bounded."""

from __future__ import annotations

import os
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path

RUN_LINES = 10_000  # sorted in memory at once: some 7 MB
READ_BYTES = 64 * 1024  # of each run at once; of many runs less, so that all together take MERGED_BYTES, and half more
MERGED_BYTES = 4 * 1024 * 1024
JOINED_LINES = 500  # some 300 KB: a larger block would come from the system, page by page, and go back to it
SCRATCH_PREFIX = ".sort-"  # of the file, before it loses its name


class SortedLines:
    """Lines in their order, without line ends; `count` is how many. They can be had once."""

    def __init__(self, lines: Iterable[bytes], scratch: Path, run_lines: int = RUN_LINES) -> None:
        self.count = 0
        self._last: list[bytes] = []  # the run that came last, which is kept when another comes
        self._runs: list[tuple[int, int]] = []  # where each of the others lies in the file
        self._scratch = scratch
        self._fd: int | None = None
        remaining = iter(lines)
        try:
            while run := list(islice(remaining, run_lines)):
                self.add(run)
        except BaseException:
            self.close()
            raise

    def add(self, run: list[bytes]) -> None:
        """Further lines, in any order, as many as may be in memory."""
        if self._last:
            self._keep(self._last)
        run.sort()
        self._last = run
        self.count += len(run)

    def __iter__(self) -> Iterator[bytes]:
        return chain.from_iterable(self.blocks())

    def blocks(self) -> Iterator[list[bytes]]:
        """The lines in their order, many at once.

        Up to the least of the lines that end what was read of each run, nothing can come in between. What lies before
        it is put together and sorted, which is the merging of sorted runs, done by Python's own sort.
        """
        with closing(self):
            read_bytes = min(READ_BYTES, MERGED_BYTES // max(1, len(self._runs)))
            runs = [_Run(self._fd, *run, read_bytes) for run in self._runs if self._fd is not None]
            last, self._last = self._last, []
            while runs:
                for run in runs:
                    run.read_on()
                end = min((run.lines[-1] for run in runs if run.has_more), default=None)
                block = [line for run in runs for line in run.up_to(end)]
                taken = len(last) if end is None else bisect_right(last, end)
                block += last[:taken]
                del last[:taken]
                block.sort()
                yield block
                runs = [run for run in runs if run.lines or run.has_more]
            if last:
                yield last

    def close(self) -> None:
        """The rest is not wanted."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _keep(self, run: list[bytes]) -> None:
        if self._fd is None:
            self._fd, name = tempfile.mkstemp(dir=self._scratch, prefix=SCRATCH_PREFIX)
            os.unlink(name)
        start = end = self._runs[-1][1] if self._runs else 0
        for piece in joined(run):
            end += len(piece)
            data = memoryview(piece)
            while data:
                data = data[os.write(self._fd, data) :]
        self._runs.append((start, end))


def joined(lines: list[bytes]) -> Iterator[bytes]:
    """Lines with their ends, some hundred at once."""
    for start in range(0, len(lines), JOINED_LINES):
        yield b"\n".join((*lines[start : start + JOINED_LINES], b""))


class _Run:
    """Sorted lines in the file, of which the next ones are in memory."""

    def __init__(self, fd: int, start: int, end: int, read_bytes: int) -> None:
        self._fd, self._start, self._end, self._read_bytes = fd, start, end, read_bytes
        self._rest = b""  # a line that was read in part
        self._few = 0  # fewer lines than this, and more are read
        self.lines: list[bytes] = []

    @property
    def has_more(self) -> bool:
        """Whether there are lines that were not read yet."""
        return self._start < self._end

    def read_on(self) -> None:
        """Have a good part of what may be in memory; at least one line, if any is left."""
        while self._start < self._end and len(self.lines) <= self._few:
            chunk = os.pread(self._fd, min(self._read_bytes, self._end - self._start), self._start)
            self._start += len(chunk)
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            self._few = max(self._few, len(lines) // 2)
            self.lines += lines

    def up_to(self, line: bytes | None) -> list[bytes]:
        """Take the lines that are not greater; without one, all."""
        count = len(self.lines) if line is None else bisect_right(self.lines, line)
        taken = self.lines[:count]
        del self.lines[:count]
        return taken
