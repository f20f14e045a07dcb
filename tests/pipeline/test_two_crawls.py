"""Crawls that share a process, or want to share a folder."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
import uvloop

from weft.errors import BadInput, FolderError
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec

from .crawling import (
    CRAWL_WITHIN_S,
    CrawlFiles,
    assert_fetched_the_truth,
    assert_server_saw_the_truth,
    crawl_all,
    quick_config,
    run,
    until,
)
from .engine_process import ArchiveWatcher, children_of, engine, is_worker, prepare_folder

ONE_WEB = WebSpec(hosts=10, pages=150, seed=1, latency_ms=(1, 20))
OTHER_WEB = WebSpec(hosts=15, pages=200, seed=2, latency_ms=(1, 20))


def test_two_crawls_one_after_the_other_in_one_process_are_independent(tmp_path: Path) -> None:
    with SimProcess(ONE_WEB) as one, SimProcess(OTHER_WEB) as other:
        for name, sim in (("one", one), ("other", other)):
            ending, files = crawl_all(tmp_path / name, quick_config(sim))
            assert ending is Ending.DONE
            assert_fetched_the_truth(files, sim.web.truth())
    for sim in (one, other):
        assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())


def test_two_crawls_at_once_in_one_process_are_independent(tmp_path: Path) -> None:
    async def run_both(one: Crawl, other: Crawl) -> tuple[Ending, Ending]:
        first, second = await asyncio.wait_for(asyncio.gather(one.run(), other.run()), CRAWL_WITHIN_S)
        return first, second

    with SimProcess(ONE_WEB) as one, SimProcess(OTHER_WEB) as other:
        endings = uvloop.run(
            run_both(
                Crawl.create(tmp_path / "one", quick_config(one, depth=3)),
                Crawl.create(tmp_path / "other", quick_config(other)),
            )
        )
    assert endings == (Ending.DONE, Ending.DONE)
    for name, sim, depth in (("one", one, 3), ("other", other, None)):
        truth = sim.web.truth(depth)
        assert_fetched_the_truth(CrawlFiles(tmp_path / name), truth)
        assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_a_finished_crawl_leaves_no_process_behind(tmp_path: Path) -> None:
    with SimProcess(ONE_WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, workers=2))
        assert [pid for pid in children_of(os.getpid()) if is_worker(pid)] == []


def test_stopping_one_of_two_crawls_leaves_the_other_alone(tmp_path: Path) -> None:
    async def stop_one(one: Crawl, other: Crawl) -> tuple[Ending, Ending]:
        running = asyncio.gather(one.run(), other.run())
        await until(lambda: bool(one.counters.pages and other.counters.pages))
        one.stop()
        first, second = await asyncio.wait_for(running, CRAWL_WITHIN_S)
        return first, second

    with SimProcess(ONE_WEB) as sim:
        endings = uvloop.run(
            stop_one(
                Crawl.create(tmp_path / "one", quick_config(sim, delay_s=0.5)),
                Crawl.create(tmp_path / "other", quick_config(sim)),
            )
        )
        truth = sim.web.truth()
    assert endings == (Ending.INTERRUPTED, Ending.DONE)
    assert_fetched_the_truth(CrawlFiles(tmp_path / "other"), truth)


def test_a_folder_in_use_by_another_process_is_refused_with_its_holder(tmp_path: Path) -> None:
    with SimProcess(ONE_WEB) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, quick_config(sim, delay_s=60))
        watcher = ArchiveWatcher(folder)
        with engine(folder) as process:
            assert watcher.wait_for_writes(1, lambda: not process.is_running())
            with pytest.raises(FolderError, match=f"is in use by process {process.pid} on "):
                Crawl.resume(folder)
            process.kill_group()
        # The holder is gone, and with it its claim.
        Crawl.resume(folder).folder.close()


def test_a_folder_in_use_by_a_crawl_of_this_process_is_refused_with_its_holder(tmp_path: Path) -> None:
    with SimProcess(ONE_WEB) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, max_pages=5))
        with pytest.raises(FolderError, match="is in use by this program, "):
            Crawl.resume(tmp_path / "crawl")
        assert run(crawl) is Ending.LIMIT
        Crawl.resume(tmp_path / "crawl").folder.close()


def test_a_folder_that_holds_a_crawl_is_not_begun_anew(tmp_path: Path) -> None:
    with SimProcess(ONE_WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=5))
        with pytest.raises(FolderError, match="already holds a crawl; `weft resume"):
            Crawl.create(tmp_path / "crawl", quick_config(sim))


def test_settings_that_cannot_work_are_refused_before_a_folder_is_made(tmp_path: Path) -> None:
    with SimProcess(ONE_WEB) as sim:
        for changes in ({"filters": ("no.such:thing",)}, {"order": "random"}, {"seeds": ()}, {"seeds": ("nonsense",)}):
            with pytest.raises(BadInput):
                Crawl.create(tmp_path / "crawl", quick_config(sim, **changes))
    assert not (tmp_path / "crawl").exists()
