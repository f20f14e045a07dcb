"""Kills of any engine, or of all: the run ends and says so, and resumed it loses and doubles nothing."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import uvloop

from tests.pipeline.crawling import CrawlFiles, assert_fetched_the_truth, quick_config, until
from tests.pipeline.engine_process import (
    ArchiveWatcher,
    EngineProcess,
    await_others,
    children_of,
    engine,
    is_alive,
    prepare_folder,
    start_weft,
    weft_environment,
)
from tests.pipeline.test_kills import EXTRACTORS, items_in, pages_of
from weft.cli.exits import Exit
from weft.engines.crawl import CrawlOfEngines
from weft.errors import EngineDied
from weft.folder.databases import databases_of
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec

from .crawling import (
    assert_each_host_is_one_engines,
    engine_pids,
    is_engine,
    kill_an_engine,
    resume,
    run,
    small_web,
)

ENGINES = 2
MAX_DITHER_S = 0.01

Kill = Callable[[EngineProcess], None]
KILLS: dict[str, Kill] = {
    "another": kill_an_engine,
    "own": EngineProcess.kill_engine,
    "all": EngineProcess.kill_group,
}


def run_with_kills(folder: Path, kinds: list[str], chance: random.Random) -> None:
    """Run a crawl to its end, killing on the way as often as kinds are named."""
    left = list(kinds)
    while True:
        with engine(folder) as process:
            watcher = ArchiveWatcher(folder)
            if left and watcher.wait_for_writes(chance.randint(1, 20), lambda: not process.is_running()):
                time.sleep(chance.uniform(0, MAX_DITHER_S))
                KILLS[left.pop()](process)
            _, errors = process.popen.communicate(timeout=120) if process.is_running() else (b"", b"")
            if process.popen.returncode == 0:
                break
            assert not errors or b"ended by signal SIGKILL" in errors, errors.decode()
    assert len(left) < len(kinds) / 2, "the crawl was over before most kills"


def crawl_with_kills(spec: WebSpec, folder: Path, kinds: list[str], seed: int) -> None:
    with SimProcess(spec) as sim:
        prepare_folder(folder, quick_config(sim, engines=ENGINES, extractors=EXTRACTORS))
        run_with_kills(folder, kinds, random.Random(seed))
        truth = sim.web.truth()
    files = CrawlFiles(folder)
    assert_fetched_the_truth(files, truth)
    assert_each_host_is_one_engines(files, ENGINES)
    assert items_in(folder) == Counter(pages_of(truth))
    assert not {url for url in sim.log.requests_by_url(sim.http_port) if url not in truth.fetchable}


def test_kills_of_either_engine_and_of_both_lose_and_double_nothing(tmp_path: Path) -> None:
    crawl_with_kills(small_web(seed=11), tmp_path / "crawl", ["another", "own", "all"], seed=1)


@pytest.mark.large
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thirty_kills_lose_and_double_nothing(seed: int, tmp_path: Path) -> None:
    spec = WebSpec(hosts=60, pages=4000, seed=seed, reset_share=0.02, latency_ms=(1, 100))
    chance = random.Random(seed)
    crawl_with_kills(spec, tmp_path / "crawl", chance.choices(list(KILLS), k=30), seed)


def test_the_death_of_one_engine_ends_the_run_with_a_sentence_and_no_process_is_left(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=12)) as sim:
        prepare_folder(folder, quick_config(sim, engines=ENGINES, paused=True))
        with engine(folder) as process:
            await_others(lambda: len(engine_pids(process)) == 1, "the other engine")
            await_others(lambda: bool(process.serving_worker_pids()), "a worker")
            (other,) = engine_pids(process)
            kill_an_engine(process)
            _, errors = process.popen.communicate(timeout=60)
            assert process.popen.returncode == 1
            told = (
                f"engine 1 of 2 ended by signal SIGKILL; what was finished is kept, and `weft resume {folder}` goes on"
            )
            assert errors.decode() == f"weft: {told}\n"
            await_others(lambda: not is_alive(other), "its end")


def test_the_other_engines_die_with_the_command_and_its_folder_is_free_then(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=13, pages=60)) as sim:
        prepare_folder(folder, quick_config(sim, engines=3, paused=True))
        with engine(folder) as process:
            await_others(lambda: len(engine_pids(process)) == 2, "engines")
            process.kill_engine()
            _, files = resume(folder, paused=False)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)


@pytest.mark.parametrize("engines", [pytest.param(1, marks=pytest.mark.large), 3])
def test_a_killed_crawl_goes_on_with_another_number_of_engines(engines: int, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=14)) as sim:
        prepare_folder(folder, quick_config(sim, engines=ENGINES, extractors=EXTRACTORS, rate=50))
        with engine(folder) as process:
            assert ArchiveWatcher(folder).wait_for_writes(30, lambda: not process.is_running())
            process.kill_group()
        _, files = resume(folder, engines=engines, rate=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)
    assert items_in(folder) == Counter(pages_of(truth))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_all_engines_in_order(number: signal.Signals, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=15)) as sim:
        prepare_folder(folder, quick_config(sim, engines=ENGINES, paused=True))
        with engine(folder) as process:
            await_others(lambda: bool(process.serving_worker_pids()), "a worker")
            os.killpg(process.pid, number)  # as a terminal does: all of the group hear it
            _, errors = process.popen.communicate(timeout=60)
    assert process.popen.returncode == 128 + number
    assert b"goes on" in errors
    assert (folder / "pages.jsonl").exists(), "the index files are written"


@pytest.mark.parametrize(
    "point",
    [
        "engine-arrived:1",
        "engine-synced:1",
        pytest.param("commit-written:40", marks=pytest.mark.large),
        "engines-filled:1",
    ],
)
def test_a_crash_where_something_is_half_done_loses_nothing(point: str, tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=16, pages=120)) as sim:
        prepare_folder(folder, quick_config(sim, engines=ENGINES, max_pages=60))
        arguments: tuple[str, ...] = ("resume", str(folder), "--quiet")
        if point.startswith("engines-"):  # of a crawl that goes on with another number
            first = start_weft(*arguments, environment=weft_environment())
            first.communicate(timeout=120)
            assert first.returncode == Exit.LIMIT
            arguments = (*arguments, "--engines", "3")
        process = start_weft(*arguments, environment=weft_environment() | {"WEFT_CRASH_AT": point})
        process.communicate(timeout=120)
        assert process.returncode in (-signal.SIGKILL, Exit.FAILED), "it did not come so far"
        _, files = resume(folder, max_pages=None)
        truth = sim.web.truth()
    assert_fetched_the_truth(files, truth)


def test_a_stop_before_all_links_have_arrived_moves_no_rows_and_loses_none(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with SimProcess(small_web(seed=17, pages=120)) as sim:
        prepare_folder(folder, quick_config(sim, engines=ENGINES))
        crash = weft_environment() | {"WEFT_CRASH_AT": "engine-arrived:1"}
        start_weft("resume", str(folder), "--quiet", environment=crash).communicate(timeout=120)
        stopped = CrawlOfEngines.resume(folder, engines=3)
        stopped.stop()
        assert run(stopped) is Ending.INTERRUPTED
        assert len(databases_of(folder)) == ENGINES
        _, files = resume(folder)
        truth = sim.web.truth()
    assert len(databases_of(folder)) == 3
    assert_fetched_the_truth(files, truth)


def test_an_engine_that_stands_still_does_not_keep_a_stop_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.engines.crawl.PATIENCE_S", 0.2)

    async def stop_with_one_asleep(crawl: CrawlOfEngines) -> None:
        task = asyncio.create_task(crawl.run())
        await until(lambda: crawl.progress() is not None and bool(crawl.sights()))
        (other,) = [pid for pid in children_of(os.getpid()) if is_engine(pid)]
        os.kill(other, signal.SIGSTOP)
        crawl.stop()
        with pytest.raises(EngineDied, match="engine 1 of 2 does not end; what was finished is kept"):
            await task
        assert not is_alive(other)

    with SimProcess(small_web(seed=18, pages=60)) as sim:
        crawl = CrawlOfEngines.create(tmp_path / "crawl", quick_config(sim, engines=2, paused=True))
        assert isinstance(crawl, CrawlOfEngines)
        uvloop.run(asyncio.wait_for(stop_with_one_asleep(crawl), 120))
