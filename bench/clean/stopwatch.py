"""Where a thread's time goes, as the paper's figure 4 divides it: the database, and everything else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec


class Stopwatch(msgspec.Struct):
    """What one thread did, in seconds of wall clock."""

    opening_s: float = 0.0  # connections: opening them, closing them, or getting them from a pool
    statements_s: float = 0.0  # statements and commits
    waiting_s: float = 0.0  # for the other threads: the buffer is full, or empty
    cleaning_s: float = 0.0
    whole_s: float = 0.0
    operations: int = 0
    cleaning_cpu_s: float = 0.0

    @property
    def database_s(self) -> float:
        """All that the database took."""
        return self.opening_s + self.statements_s

    @property
    def database_share(self) -> float:
        """Of the thread's time."""
        return self.database_s / self.whole_s if self.whole_s else 0.0

    @property
    def waiting_share(self) -> float:
        """Of the thread's time."""
        return self.waiting_s / self.whole_s if self.whole_s else 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """The thread's whole life."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.whole_s += time.perf_counter() - began

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Time in which the thread can do nothing."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.waiting_s += time.perf_counter() - began

    def cleaned(self, clean: Callable[[str, str], str], content: str, url: str) -> str:
        """What the cleaning gives; its time counts as cleaning."""
        began, cpu_began = time.perf_counter(), time.thread_time()
        left = clean(content, url)
        self.cleaning_s += time.perf_counter() - began
        self.cleaning_cpu_s += time.thread_time() - cpu_began
        return left


def summed(watches: list[Stopwatch]) -> Stopwatch:
    """Several threads of one kind as one."""
    return Stopwatch(**{
        name: sum(getattr(watch, name) for watch in watches) for name in Stopwatch.__struct_fields__
    })  # fmt: skip
