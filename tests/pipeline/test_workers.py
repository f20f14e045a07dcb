"""What may happen to a worker, and what it must not do to the crawl."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import uvloop

from weft.clock import Clock
from weft.errors import WorkerFailed
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Fixed
from weft.types import Refusal
from weft.workers.suspicion import DEATHS_TO_BLAME
from weft.workers.worker_pool import STARTS_TO_GIVE_UP
from weft.workers.worker_process import HANG_AFTER_S

from .crawling import (
    CRAWL_WITHIN_S,
    CrawlFiles,
    assert_archive_is_consistent,
    assert_fetched_the_truth,
    crawl_all,
    quick_config,
    resume,
    run,
    until,
)
from .deadly_filters import POISONOUS_PATH
from .engine_process import (
    WITHIN_S,
    await_others,
    engine,
    holds_warc_file,
    prepare_folder,
    sleeps,
)

SITE = "site.test"
NEIGHBOURS = 60
KILLS = 6


def site_with_poison(poisons: int = 1) -> dict[tuple[str, str], Behaviour]:
    """A home page with links to many pages, in the middle of which stand poisonous ones."""
    paths = [f"/page{number}" for number in range(NEIGHBOURS)]
    paths[NEIGHBOURS // 2 : NEIGHBOURS // 2] = [f"/{number}{POISONOUS_PATH}" for number in range(poisons)]
    pages: dict[tuple[str, str], Behaviour] = {(SITE, "/"): Fixed(_linking_to(paths))}
    for path in paths:
        pages[SITE, path] = Fixed(_linking_to([f"/from{path.replace('/', '-')}"]))
        pages[SITE, f"/from{path.replace('/', '-')}"] = Fixed(b"<!DOCTYPE html><p>the end\n")
    return pages


def _linking_to(paths: list[str]) -> bytes:
    return b"<!DOCTYPE html>" + "".join(f'<p><a href="{path}">x</a>' for path in paths).encode()


def test_a_filter_that_raises_refuses_the_link_and_says_so_in_the_log(tmp_path: Path) -> None:
    pages = site_with_poison()
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        filters = (f"{__package__}.deadly_filters:fail",)
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), filters=filters)
        crawl = Crawl.create(tmp_path / "crawl", config)
        assert run(crawl) is Ending.DONE
        expected = {sim.web.url(host, path): "response" for host, path in pages}
        del expected[sim.web.url(SITE, f"/from-0{POISONOUS_PATH.replace('/', '-')}")]
    assert CrawlFiles(tmp_path / "crawl").outcomes() == expected
    assert crawl.counters.refused == {Refusal.USER: 1}
    assert "a fault in a user's filter" in crawl.folder.worker_log.read_text()


@pytest.mark.parametrize("filter_name", ["kill_itself", "crash"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_page_that_ends_its_worker_is_poison_and_its_neighbours_are_not(
    filter_name: str, workers: int, tmp_path: Path
) -> None:
    pages = site_with_poison()
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(
            sim,
            seeds=(sim.web.url(SITE, "/"),),
            filters=(f"{__package__}.deadly_filters:{filter_name}",),
            workers=workers,
            connections_per_host=32,
        )
        ending, files = crawl_all(tmp_path / "crawl", config)
        poison = sim.web.url(SITE, f"/0{POISONOUS_PATH}")
        behind_poison = sim.web.url(SITE, f"/from-0{POISONOUS_PATH.replace('/', '-')}")
        expected = {sim.web.url(host, path): "response" for host, path in pages} | {poison: "poison"}
    del expected[behind_poison]  # nobody could read the way there
    assert ending is Ending.DONE
    assert files.outcomes() == expected
    # It could still be stored, unparsed.
    assert files.row(poison).status == 200
    assert files.row(poison).file
    assert_archive_is_consistent(files)


def test_several_poisonous_pages_are_each_told_from_their_neighbours(tmp_path: Path) -> None:
    pages = site_with_poison(poisons=2)
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(
            sim,
            seeds=(sim.web.url(SITE, "/"),),
            filters=(f"{__package__}.deadly_filters:kill_itself",),
            workers=2,
            connections_per_host=32,
        )
        _, files = crawl_all(tmp_path / "crawl", config)
    poisonous = {row.url for row in files.rows if row.outcome == "poison"}
    assert poisonous == {sim.web.url(SITE, f"/{number}{POISONOUS_PATH}") for number in range(2)}
    assert sum(row.outcome == "response" for row in files.rows) == 1 + 2 * NEIGHBOURS
    assert_archive_is_consistent(files)


def test_a_poisonous_page_is_not_tried_again_on_resume(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), site_with_poison()) as sim:
        config = quick_config(
            sim,
            seeds=(sim.web.url(SITE, "/"),),
            filters=(f"{__package__}.deadly_filters:kill_itself",),
            connections_per_host=32,
        )
        _, before = crawl_all(tmp_path / "crawl", config)
        ending, after = resume(tmp_path / "crawl")
    assert ending is Ending.DONE
    assert after.outcomes() == before.outcomes()


def test_workers_that_cannot_start_end_the_crawl_and_blame_no_page(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=3, pages=30)) as sim:
        config = quick_config(sim, filters=(f"{__package__}.deadly_filters:CannotStartInWorkers",))
        crawl = Crawl.create(tmp_path / "crawl", config)
        with pytest.raises(WorkerFailed, match="parse workers end at once"):
            uvloop.run(asyncio.wait_for(crawl.run(), CRAWL_WITHIN_S))
        assert crawl.counters.failed == {}


class Onlooker:
    """Watches a running crawl from inside its loop, and does things to its workers."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl
        self.killed: set[int] = set()

    def pids(self) -> list[int]:
        """The workers that have begun, but for those that were killed and still have to be missed."""
        progress = self.crawl.progress()
        return [
            pid for pid in (progress.worker_pids if progress else []) if pid not in self.killed and holds_warc_file(pid)
        ]

    def unsuspicious_pids(self) -> list[int]:
        """Those of them that have no page with which another worker has died: such a page would be blamed at last."""
        pool = self.crawl.worker_pool
        suspicious = {
            worker.process.pid
            for worker in (pool.workers.values() if pool is not None else ())
            if any(job.deaths for job in worker.pending)
        }
        return [pid for pid in self.pids() if pid not in suspicious]

    async def until(self, holds: Callable[[], bool]) -> None:
        await until(lambda: holds() or self.crawl.ending is not None)

    async def until_some_pages_later(self, workers: int) -> None:
        enough = self.crawl.counters.pages + 8
        await self.until(lambda: self.crawl.counters.pages >= enough and len(self.pids()) >= workers)

    def kill(self, pid: int) -> None:
        self.killed.add(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


async def kill_one_again_and_again(crawl: Crawl) -> int:
    """Kill a worker each time that a few more pages were committed; none with a page that was in another's hands."""
    onlooker, chance = Onlooker(crawl), random.Random(1)
    while len(onlooker.killed) < KILLS:
        await onlooker.until_some_pages_later(workers=1)
        await onlooker.until(lambda: bool(onlooker.unsuspicious_pids()))
        if crawl.ending is not None:
            break
        onlooker.kill(chance.choice(onlooker.unsuspicious_pids()))
    return len(onlooker.killed)


async def kill_all_at_once(crawl: Crawl) -> int:
    """Kill all workers at the same moment, each time that a few more pages were committed."""
    onlooker = Onlooker(crawl)
    for _ in range(STARTS_TO_GIVE_UP - 1):  # some are killed before their first page, which counts as a failed start
        await onlooker.until_some_pages_later(workers=crawl.worker_slots)
        if crawl.ending is not None:
            break
        for pid in onlooker.pids():
            onlooker.kill(pid)
    return len(onlooker.killed)


@pytest.mark.parametrize("kill", [kill_one_again_and_again, kill_all_at_once])
def test_workers_killed_from_outside_cost_no_page(
    kill: Callable[[Crawl], Coroutine[None, None, int]], tmp_path: Path
) -> None:
    async def crawl_under_fire(crawl: Crawl) -> tuple[Ending, int]:
        ending, kills = await asyncio.wait_for(asyncio.gather(crawl.run(), kill(crawl)), CRAWL_WITHIN_S)
        return ending, kills

    # Slow enough that the crawl is not over while killed workers are replaced.
    with SimProcess(WebSpec(hosts=20, pages=350, seed=5, latency_ms=(40, 120))) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, workers=2, fixed=True, connections_per_host=2))
        ending, kills = uvloop.run(crawl_under_fire(crawl))
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert kills == crawl.counters.workers_died >= KILLS // 2  # on a busy machine the crawl may be over before the last
    files = CrawlFiles(tmp_path / "crawl")
    assert "poison" not in files.outcomes().values()
    assert_fetched_the_truth(files, truth)


class _HeldPages(BaseHTTPRequestHandler):
    """A page that leads to another, which comes when the test says so."""

    asked = threading.Event()
    released = threading.Event()

    def do_GET(self) -> None:
        if self.path == "/late":
            self.asked.set()
            self.released.wait(WITHIN_S)
        body = _linking_to(["/late"]) if self.path == "/" else b"<!DOCTYPE html><p>at last\n"
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def test_an_idle_worker_may_be_killed_any_number_of_times(tmp_path: Path) -> None:
    """It had nothing to do, so its death says nothing about workers that cannot start."""
    folder = tmp_path / "crawl"
    with SimProcess(WebSpec(hosts=1, pages=1)) as sim, ThreadingHTTPServer(("127.0.0.1", 0), _HeldPages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        seeds = (f"http://127.0.0.1:{server.server_port}/",)
        prepare_folder(folder, quick_config(sim, seeds=seeds, workers=1, response_timeout_s=WITHIN_S))
        with engine(folder) as process:
            await_others(_HeldPages.asked.is_set, "that the first page is done and the other is asked for")
            killed: set[int] = set()
            for _ in range(DEATHS_TO_BLAME + 1):
                await_others(lambda: bool(process.serving_worker_pids() - killed), "a new worker")
                (pid,) = process.serving_worker_pids() - killed
                await_others(lambda pid=pid: sleeps(pid), "that it waits for a job")  # type: ignore[misc]
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            _HeldPages.released.set()
            assert process.wait() == 0
        server.shutdown()
    assert set(CrawlFiles(folder).outcomes().values()) == {"response"}


class LeapingClock(Clock):
    """The real clocks, moved on by hand: so a test need not wait for a long time to pass."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def wall(self) -> float:
        return super().wall() + self.ahead_s

    def monotonic(self) -> float:
        return super().monotonic() + self.ahead_s


def test_a_worker_that_hangs_is_ended_and_its_pages_are_not_lost(tmp_path: Path) -> None:
    async def freeze_one(crawl: Crawl, clock: LeapingClock) -> int:
        onlooker = Onlooker(crawl)
        await onlooker.until(lambda: crawl.counters.pages >= 20 and len(onlooker.pids()) == 2)
        frozen = onlooker.pids()[0]
        os.kill(frozen, signal.SIGSTOP)
        while frozen in onlooker.pids() and crawl.ending is None:
            clock.ahead_s += HANG_AFTER_S + 1
            await asyncio.sleep(1.2)  # the engine looks once a second
        return frozen

    async def crawl_with_a_hang(crawl: Crawl, clock: LeapingClock) -> Ending:
        ending, frozen = await asyncio.wait_for(asyncio.gather(crawl.run(), freeze_one(crawl, clock)), CRAWL_WITHIN_S)
        with pytest.raises(ProcessLookupError):
            os.kill(frozen, 0)
        return ending

    with SimProcess(WebSpec(hosts=20, pages=600, seed=5, latency_ms=(5, 60))) as sim:
        clock = LeapingClock()
        # Slow enough that the crawl is not over before both workers have begun.
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, workers=2, fixed=True, rate=150), clock)
        assert uvloop.run(crawl_with_a_hang(crawl, clock)) is Ending.DONE
        truth = sim.web.truth()
    assert crawl.counters.workers_died >= 1
    assert_fetched_the_truth(CrawlFiles(tmp_path / "crawl"), truth)
