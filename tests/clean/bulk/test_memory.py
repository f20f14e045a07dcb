"""Memory has a bound, whatever the number of pages and their sizes."""

from __future__ import annotations

import pytest

from tests.memory_watch import memory_watched

from .databases import MOSTLY_SQLITE, Place, small_page
from .running import cleaning

MB = 1_000_000
BOUND_BYTES = 300 * MB


def assert_bounded(queue: Place, pages: int, *flags: str) -> None:
    with cleaning(queue.url, queue.url, *flags, is_forked=False) as process, memory_watched(process.pid) as meter:
        summary = process.wait(600)
    print(f"\npeak {meter.peak_bytes / MB:.0f} MB in {meter.samples} samples, {summary['pages_per_s']} pages/s")
    assert summary["pages"] == pages
    assert meter.samples > 5
    assert meter.peak_bytes < BOUND_BYTES


@MOSTLY_SQLITE
def test_memory_is_bounded_with_2_500_pages_of_40_kilobytes(queue: Place) -> None:
    queue.fill((f"http://site.test/{number}", small_page(number, 40_000)) for number in range(2500))
    assert_bounded(queue, 2500, "--queue", "take")


@pytest.mark.large
def test_memory_is_bounded_with_pages_just_below_the_size_that_is_heavy(queue: Place) -> None:
    page = "<p>One of many lines.<br>\n" * (950_000 // 26)
    queue.fill((f"http://site.test/{number}", page) for number in range(60))
    assert_bounded(queue, 60)


@MOSTLY_SQLITE
def test_memory_is_bounded_with_pages_of_4_megabytes(queue: Place) -> None:
    page = "<p>One of many, many, many lines of text, as they are in logs and in books.<br>\n" * (4_000_000 // 79)
    queue.fill((f"http://site.test/{number}", page) for number in range(8))
    assert_bounded(queue, 8)


@pytest.mark.large
def test_memory_is_bounded_with_100_000_pages(queue: Place) -> None:
    queue.fill((f"http://site.test/{number}", small_page(number, 4_000)) for number in range(100_000))
    assert_bounded(queue, 100_000)
