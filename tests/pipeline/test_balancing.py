"""A crawl finds out by itself how many requests at once and how many workers are worth it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvloop

from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.pipeline.progress import Progress
from weft.simweb import SimProcess, WebSpec

from .crawling import CRAWL_WITHIN_S, CrawlFiles, assert_fetched_the_truth, quick_config

# Slow answers from many hosts: only many requests at once get anywhere. So slow that a busy machine keeps up.
SLOW = WebSpec(seed=3, hosts=300, pages=700, latency_ms=(2_000, 2_500), page_bytes=500, addresses=64)


Enough = Callable[[Progress], bool]


async def watched(crawl: Crawl, workers_first: int, is_enough: Enough) -> tuple[Ending, list[Progress]]:
    """Run a crawl that begins with this many workers, and look at it ten times a second until it is enough."""
    seen: list[Progress] = []
    running = asyncio.create_task(crawl.run())
    while not running.done():
        await asyncio.sleep(0.1)
        if not seen and crawl.worker_pool is not None:
            crawl.worker_pool.resize(workers_first)
        if (progress := crawl.progress()) is not None:
            seen.append(progress)
            if is_enough(progress):
                crawl.stop()
    return await running, seen


def crawl_watched(
    folder: Path, workers_first: int = 1, is_enough: Enough = lambda _: False, **settings: Any
) -> tuple[Ending, list[Progress]]:
    with SimProcess(SLOW) as sim:
        config = quick_config(sim, response_timeout_s=30.0, connections_per_address=1_000, **settings)
        crawl = Crawl.create(folder, config)
        ending, seen = uvloop.run(asyncio.wait_for(watched(crawl, workers_first, is_enough), CRAWL_WITHIN_S))
        if ending is Ending.DONE:
            assert_fetched_the_truth(CrawlFiles(folder), sim.web.truth(None))
    return ending, seen


def test_slots_grow_by_themselves_where_answers_are_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first_slots = 128  # fewer than by default, so that a small web has use for more
    monkeypatch.setattr("weft.pipeline.run.FIRST_SLOTS", first_slots)
    ending, seen = crawl_watched(tmp_path / "crawl")
    assert ending is Ending.DONE
    assert max(progress.slots for progress in seen) > first_slots
    assert max(progress.visiting for progress in seen) > first_slots
    assert {decision.name for progress in seen for decision in progress.balance} == {"resolve", "fetch", "parse"}
    assert any(reading.cores for progress in seen for reading in progress.readings if reading.name == "parse")


@pytest.mark.parametrize("fixed", [False, True])
def test_what_the_user_allows_is_never_exceeded(tmp_path: Path, fixed: bool) -> None:
    settings: dict[str, Any] = {"connections": 100, "workers": 2, "fixed": fixed, "max_pages": 120}
    ending, seen = crawl_watched(tmp_path / "crawl", workers_first=2, **settings)
    assert ending is Ending.LIMIT
    assert max(progress.visiting + progress.asking for progress in seen) <= 100
    assert max(progress.workers for progress in seen) <= 2
    if fixed:
        assert {(progress.slots, progress.workers) for progress in seen} == {(100, 2)}
        assert not any(progress.balance for progress in seen)


def test_workers_without_work_are_sent_home(tmp_path: Path) -> None:
    """One page now and then is work for one."""
    ending, seen = crawl_watched(
        tmp_path / "crawl", workers_first=2, is_enough=lambda progress: progress.workers == 1, workers=2, rate=5.0
    )
    assert ending is Ending.INTERRUPTED, "two were kept to the end"
    assert seen[0].workers == 2
