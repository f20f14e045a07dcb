"""What a command and its workers take of memory while they run."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.pipeline.engine_process import children_of, memory_bytes

SAMPLE_EVERY_S = 0.05


class MemoryMeter:
    """The largest sum of the memory of a process and its children, sampled in a thread."""

    def __init__(self, pid: int) -> None:
        self.peak_bytes = 0
        self.samples = 0
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._measure)
        self._thread.start()

    def stop(self) -> None:
        """No more samples."""
        self._over.set()
        self._thread.join()

    def _measure(self) -> None:
        while not self._over.wait(SAMPLE_EVERY_S):
            pids = [self._pid, *children_of(self._pid)]
            self.peak_bytes = max(self.peak_bytes, sum(map(memory_bytes, pids)))
            self.samples += 1


@contextmanager
def memory_watched(pid: int) -> Iterator[MemoryMeter]:
    """Samples until the end of the block."""
    meter = MemoryMeter(pid)
    try:
        yield meter
    finally:
        meter.stop()
