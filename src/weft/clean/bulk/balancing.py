"""The balancer at work on the cleaning: read → clean → write, of which only the second has a number to choose.

| reading | read | clean | write |
|---|---|---|---|
| a worker is | the reader | a process | the writer |
| buffer | none | pages that no worker has yet | results not yet written |
| idle: starved | never | workers without a page | nothing to write |
| blocked on output | the buffer is full | never | never |
"""

from __future__ import annotations

import time

import msgspec

from weft.clean.bulk.sizes import Sizes
from weft.clean.bulk.window import PageTask, Window
from weft.workers.balance import Balancer, Decision, Means, Reading, period_s
from weft.workers.worker_pool import WorkerPool

FIRST_WORKERS = 2  # all pages are at hand from the start


class Flow(msgspec.Struct):
    """What the engine tells of its two ends; it only grows."""

    read_pages: int = 0
    written_pages: int = 0
    reader_blocked_s: float = 0.0
    writer_idle_s: float = 0.0


class Balancing:
    """Reads the stages, and resizes the workers."""

    def __init__(self, flow: Flow, window: Window, workers: WorkerPool[PageTask], sizes: Sizes) -> None:
        self._flow = flow
        self._window = window
        self._workers = workers
        self._sizes = sizes
        self._balancer = Balancer()
        self._before = msgspec.structs.replace(flow)
        self._waiting_before = self._answered_before = 0
        self._at = time.monotonic()
        self._periods = 0
        self.decision: Decision | None = None
        workers.resize(FIRST_WORKERS)

    @property
    def period_s(self) -> float:
        """How long until the next step."""
        return period_s(self._periods)

    def step(self) -> None:
        """A period is over."""
        pool = self._workers.reading()
        now = time.monotonic()
        passed_s, self._at = now - self._at, now
        flow, before = msgspec.structs.replace(self._flow), self._before
        self._before = flow
        waiting, answered = self._window.waiting_pages, self._window.answered_pages
        if not pool.ready:  # they are starting: that says nothing
            return
        self._periods += 1
        readings = [
            Reading(
                name="read",
                means=Means.TASKS,
                workers=1,
                most=1,
                done=flow.read_pages - before.read_pages,
                blocked_s=min(passed_s, flow.reader_blocked_s - before.reader_blocked_s),
            ),
            Reading(
                name="clean",
                means=Means.PROCESSES,
                workers=pool.active,
                most=self._sizes.most_workers,
                done=pool.tasks_done,
                idle_s=pool.idle_s,
                buffer=waiting,
                buffer_before=self._waiting_before,
                buffer_bytes=self._window.held_bytes,
                buffer_bound_bytes=self._sizes.buffer_bytes,
            ),
            Reading(
                name="write",
                means=Means.TASKS,
                workers=1,
                most=1,
                done=flow.written_pages - before.written_pages,
                idle_s=min(passed_s, flow.writer_idle_s - before.writer_idle_s),
                buffer=answered,
                buffer_before=self._answered_before,
            ),
        ]
        self._waiting_before, self._answered_before = waiting, answered
        self.decision = self._balancer.step(readings, passed_s)[1]
        self._workers.resize(self.decision.workers)
