"""Memory has a bound, whatever the number of pages and their sizes."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.pipeline.engine_process import children_of, memory_bytes
from tests.postgres import Postgres

from .databases import Place, postgres_place, small_page, sqlite_place
from .running import CleanProcess, cleaning

MB = 1_000_000
BOUND_BYTES = 300 * MB
SAMPLE_EVERY_S = 0.05


class MemoryMeter:
    """The largest sum of the command and its workers, sampled in a thread."""

    def __init__(self, process: CleanProcess) -> None:
        self.peak_bytes = 0
        self.samples = 0
        self._process = process
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._measure)
        self._thread.start()

    def stop(self) -> None:
        """No more samples."""
        self._over.set()
        self._thread.join()

    def _measure(self) -> None:
        while not self._over.wait(SAMPLE_EVERY_S):
            pids = [self._process.pid, *children_of(self._process.pid)]
            self.peak_bytes = max(self.peak_bytes, sum(map(memory_bytes, pids)))
            self.samples += 1


@pytest.fixture(params=["sqlite", "postgres"])
def queue(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "sqlite":
        return sqlite_place(tmp_path)
    server: Postgres = request.getfixturevalue("server")
    return postgres_place(server)


def assert_bounded(queue: Place, pages: int, *flags: str) -> None:
    with cleaning(queue.url, queue.url, *flags) as process:
        meter = MemoryMeter(process)
        try:
            summary = process.wait(600)
        finally:
            meter.stop()
    print(f"\npeak {meter.peak_bytes / MB:.0f} MB in {meter.samples} samples, {summary['pages_per_s']} pages/s")
    assert summary["pages"] == pages
    assert meter.samples > 5
    assert meter.peak_bytes < BOUND_BYTES


def test_memory_is_bounded_with_2_500_pages_of_40_kilobytes(queue: Place) -> None:
    queue.fill((f"http://site.test/{number}", small_page(number, 40_000)) for number in range(2500))
    assert_bounded(queue, 2500, "--queue", "take")


def test_memory_is_bounded_with_pages_just_below_the_size_that_is_heavy(queue: Place) -> None:
    page = "<p>One of many lines.<br>\n" * (950_000 // 26)
    queue.fill((f"http://site.test/{number}", page) for number in range(60))
    assert_bounded(queue, 60)


def test_memory_is_bounded_with_pages_of_4_megabytes(queue: Place) -> None:
    page = "<p>One of many, many, many lines of text, as they are in logs and in books.<br>\n" * (4_000_000 // 79)
    queue.fill((f"http://site.test/{number}", page) for number in range(8))
    assert_bounded(queue, 8)


@pytest.mark.large
def test_memory_is_bounded_with_100_000_pages(queue: Place) -> None:
    queue.fill((f"http://site.test/{number}", small_page(number, 4_000)) for number in range(100_000))
    assert_bounded(queue, 100_000)
