"""Kills at random moments: nothing is lost and nothing is archived twice.

The engine is killed and resumed, again and again; or its workers are killed, while their number changes.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
import uvloop

from tests.faults.crawls import is_killed_at
from weft.export import Source
from weft.export.parquet import write_parquet
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import RequestLog, SimProcess, Truth, WebSpec

from .crawling import CrawlFiles, assert_fetched_the_truth, is_side, quick_config, until
from .engine_process import (
    ArchiveWatcher,
    EngineProcess,
    await_others,
    engine,
    holds_warc_file,
    is_alive,
    prepare_folder,
)

WRITES_BEFORE_A_KILL = (1, 30)
# A kill comes up to so long after the last counted write: in the middle of the next one, or of its commit.
MAX_DITHER_S = 0.01
GIVE_UP_AFTER_S = 600.0
EXTRACTORS = (f"{__package__}.extractors:url",)

Kill = Callable[[EngineProcess, random.Random], None]


def kill_engine(process: EngineProcess, chance: random.Random) -> None:
    process.kill_engine()


def kill_group(process: EngineProcess, chance: random.Random) -> None:
    process.kill_group()


def kill_worker(process: EngineProcess, chance: random.Random) -> None:
    process.kill_worker(chance.choice)


KILLS: dict[str, Kill] = {"engine": kill_engine, "worker": kill_worker, "group": kill_group}


class Tally(NamedTuple):
    """One line of the table that a run prints."""

    kind: str
    kills: int
    missed: int
    twice: int
    refetched: int
    items: int
    items_missed: int
    items_twice: int


def small_web(seed: int) -> WebSpec:
    return WebSpec(hosts=20, pages=400, seed=seed, reset_share=0.02, latency_ms=(5, 50), page_bytes=3000, stall_s=30.0)


def full_web(seed: int) -> WebSpec:
    return WebSpec(
        hosts=200,
        pages=5000,
        seed=seed,
        reset_share=0.02,
        stall_share=0.005,
        stall_s=30.0,
        latency_ms=(1, 200),
    )


def run_with_kills(folder: Path, kill: Kill, kills: int, chance: random.Random) -> int:
    """Run a crawl to its end, killing on the way; gives how many kills it came to."""
    done = 0
    give_up_at = time.monotonic() + GIVE_UP_AFTER_S
    while time.monotonic() < give_up_at:
        watcher = ArchiveWatcher(folder)
        with engine(folder) as process:
            while done < kills and process.is_running():
                writes = chance.randint(*WRITES_BEFORE_A_KILL)
                if watcher.wait_for_writes(writes, lambda: not process.is_running()):
                    time.sleep(chance.uniform(0, MAX_DITHER_S))
                    kill(process, chance)
                    done += 1
            if done == kills and process.is_running():
                assert process.wait(GIVE_UP_AFTER_S) == 0
                return done
            if process.popen.returncode == 0:
                return done
    raise AssertionError("the crawl does not come to its end")


def tally(kind: str, kills: int, files: CrawlFiles, log: RequestLog, port: int, truth: Truth) -> Tally:
    archived = files.records()["response"]
    items = items_in(files.folder)
    whole = {url: sum(request.whole for request in asked) for url, asked in log.requests_by_url(port).items()}
    return Tally(
        kind=kind,
        kills=kills,
        missed=len(truth.fetchable - archived.keys()),
        twice=sum(times > 1 for times in archived.values()),
        refetched=sum(times > 1 for times in whole.values()),
        items=items.total(),
        items_missed=len(pages_of(truth) - items.keys()),
        items_twice=sum(times > 1 for times in items.values()),
    )


def pages_of(truth: Truth) -> set[str]:
    """The URLs that give items: pages."""
    return {url for url, status in truth.status.items() if 200 <= status < 300}


def items_in(folder: Path) -> Counter[str]:
    """How often each URL is in items.jsonl, of which each line must be whole."""
    return Counter(json.loads(line)["url"] for line in (folder / "items.jsonl").read_bytes().splitlines())


def assert_index_has_each_record_once(files: CrawlFiles) -> None:
    """No two lines for the same place in the archive, those of DNS and robots.txt included."""
    fields = [json.loads(line.split(b" ", 2)[2]) for line in files.cdxj_lines]
    assert Counter((line["filename"], line["offset"]) for line in fields).most_common(1)[0][1] == 1
    assert files.cdxj_lines == sorted(files.cdxj_lines)


def assert_parquet_has_each_page_once(folder: Path, truth: Truth) -> None:
    from pyarrow import parquet

    path = folder / "pages.parquet"
    with CrawlReader(folder) as reader, path.open("wb") as out:
        write_parquet(Source(reader), out, lambda rows: None)
    urls = Counter(parquet.read_table(path, columns=["url"]).column("url").to_pylist())
    fetchable = Counter(truth.fetchable)
    assert Counter({url: times for url, times in urls.items() if url in fetchable or not is_side(url)}) == fetchable


def crawl_with_kills(spec: WebSpec, folder: Path, kind: str, kills: int, seed: int, *, exports: bool = False) -> None:
    with SimProcess(spec) as sim:
        prepare_folder(folder, quick_config(sim, workers=2, extractors=EXTRACTORS))
        came_to = run_with_kills(folder, KILLS[kind], kills, random.Random(seed))
        truth = sim.web.truth()
    files = CrawlFiles(folder)
    result = tally(kind, came_to, files, sim.log, sim.http_port, truth)
    print("\n" + "  ".join(f"{name} {value}" for name, value in result._asdict().items()))
    assert came_to > kills // 2  # on a busy machine the crawl may be over before the last
    assert_fetched_the_truth(files, truth)
    assert items_in(folder) == Counter(pages_of(truth))
    assert_index_has_each_record_once(files)
    if exports:
        assert_parquet_has_each_page_once(folder, truth)
    assert not {url for url in sim.log.requests_by_url(sim.http_port) if url not in truth.fetchable}


@pytest.mark.parametrize("kind", KILLS)
def test_nothing_is_lost_or_archived_twice_after_3_kills(kind: str, tmp_path: Path) -> None:
    crawl_with_kills(small_web(seed=3), tmp_path / "crawl", kind, kills=3, seed=len(kind))


@pytest.mark.large
@pytest.mark.parametrize("kind", KILLS)
@pytest.mark.parametrize("seed", [1, 2])
def test_nothing_is_lost_or_archived_twice_after_20_kills(kind: str, seed: int, tmp_path: Path) -> None:
    crawl_with_kills(full_web(seed=7), tmp_path / "crawl", kind, kills=20, seed=seed, exports=True)


@pytest.mark.large
def test_kills_of_every_kind_by_turns_lose_nothing(tmp_path: Path) -> None:
    turns = iter(list(KILLS.values()) * 2)
    with SimProcess(small_web(seed=4)) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, quick_config(sim, workers=2, depth=4, extractors=EXTRACTORS))
        run_with_kills(folder, lambda process, chance: next(turns)(process, chance), 6, random.Random(5))
        truth = sim.web.truth(4)
    assert_fetched_the_truth(CrawlFiles(folder), truth)
    assert items_in(folder) == Counter(pages_of(truth))
    assert_parquet_has_each_page_once(folder, truth)


class UnderFire:
    """A crawl whose workers are killed by either signal, and whose number of workers changes, both by chance."""

    def __init__(self, crawl: Crawl, kills: int, chance: random.Random) -> None:
        self._crawl = crawl
        self._kills = kills
        self._chance = chance
        self.killed: set[int] = set()
        self.resized = 0

    async def run(self) -> Ending:
        """To its end."""
        ending, _ = await asyncio.wait_for(asyncio.gather(self._crawl.run(), self._meddle()), GIVE_UP_AFTER_S)
        return ending

    async def _meddle(self) -> None:
        while await self._goes_on():
            pool = self._crawl.worker_pool
            assert pool is not None
            if self._chance.random() < 0.5:
                pool.resize(self._chance.randint(1, pool.slots))
                self.resized += 1
            elif len(self.killed) < self._kills:
                self._kill_one(self._unsuspicious_pids())

    async def _goes_on(self) -> bool:
        enough = self._crawl.counters.pages + self._chance.randint(1, 10)
        await until(lambda: self._crawl.counters.pages >= enough or self._crawl.ending is not None)
        await asyncio.sleep(self._chance.uniform(0, MAX_DITHER_S))
        return self._crawl.ending is None

    def _unsuspicious_pids(self) -> list[int]:
        """Workers that have no page with which another one has died: such a page would be blamed at last."""
        pool = self._crawl.worker_pool
        assert pool is not None
        workers = [worker for worker in pool.workers.values() if not any(job.deaths for job in worker.pending)]
        pids = [worker.process.pid for worker in workers]
        return [pid for pid in pids if pid not in self.killed and holds_warc_file(pid)]

    def _kill_one(self, pids: list[int]) -> None:
        if pids:
            pid = self._chance.choice(pids)
            self.killed.add(pid)
            with suppress(ProcessLookupError):  # it was about to leave
                os.kill(pid, self._chance.choice([signal.SIGKILL, signal.SIGSEGV]))


def crawl_under_fire(web: WebSpec, folder: Path, kills: int, seed: int) -> None:
    with SimProcess(web) as sim:
        config = quick_config(sim, workers=3, connections_per_host=2, extractors=EXTRACTORS)
        crawl = Crawl.create(folder, config)
        fire = UnderFire(crawl, kills, random.Random(seed))
        assert uvloop.run(fire.run()) is Ending.DONE
        truth = sim.web.truth()
    files = CrawlFiles(folder)
    result = tally("worker, resizing", len(fire.killed), files, sim.log, sim.http_port, truth)
    print("\n" + "  ".join(f"{name} {value}" for name, value in result._asdict().items()), " resized", fire.resized)
    assert len(fire.killed) > kills // 2  # on a busy machine the crawl may be over before the last
    assert 0 < crawl.counters.workers_died <= kills
    assert fire.resized > kills // 2
    assert "poison" not in files.outcomes().values()
    assert_fetched_the_truth(files, truth)
    assert items_in(folder) == Counter(pages_of(truth))
    assert_index_has_each_record_once(files)


def test_workers_killed_while_their_number_changes_cost_no_page(tmp_path: Path) -> None:
    # Slow enough that the crawl is not over while killed workers are replaced.
    web = WebSpec(hosts=20, pages=400, seed=5, latency_ms=(40, 120))
    crawl_under_fire(web, tmp_path / "crawl", kills=8, seed=1)


@pytest.mark.large
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_hundred_workers_killed_while_their_number_changes_cost_no_page(seed: int, tmp_path: Path) -> None:
    crawl_under_fire(full_web(seed=7), tmp_path / "crawl", kills=100, seed=seed)


def test_workers_die_with_their_engine(tmp_path: Path) -> None:
    with SimProcess(small_web(seed=3)) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, quick_config(sim, workers=2, fixed=True, rate=10))  # so it is not over before
        with engine(folder) as process:
            await_others(lambda: len(process.serving_worker_pids()) == 2, "both workers")
            workers = process.worker_pids()
            process.kill_engine()
            await_others(lambda: not any(map(is_alive, workers)), "the workers' end")


def test_an_engine_killed_before_its_first_page_is_resumed(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=5, pages=40, seed=3)) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, quick_config(sim))
        assert is_killed_at(folder, "file-known:1:group")  # a worker has begun, and not even its file is there
        assert list((folder / "archive").iterdir()) == []
        with engine(folder) as process:
            assert process.wait() == 0
        truth = sim.web.truth()
    assert_fetched_the_truth(CrawlFiles(folder), truth)


def test_a_kill_leaves_nothing_in_the_spool_folder_after_resume(tmp_path: Path) -> None:
    with SimProcess(small_web(seed=3)) as sim:
        folder = tmp_path / "crawl"
        prepare_folder(folder, quick_config(sim, max_pages=30))
        (folder / "state" / "spool" / "1-1.body").write_bytes(b"left by a killed engine")
        with engine(folder) as process:
            assert process.wait() == 3
    assert os.listdir(folder / "state" / "spool") == []
