"""Limits stop a crawl in order, and what a limit cut off a later run completes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import uvloop

from weft.api.report import report as read_report
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.simweb import SimProcess, WebSpec
from weft.simweb.behaviour import Behaviour, Broken, Delayed, Fault, Fixed

from .crawling import (
    CRAWL_WITHIN_S,
    CrawlFiles,
    assert_archive_is_consistent,
    assert_fetched_the_truth,
    assert_server_saw_the_truth,
    crawl_all,
    quick_config,
    resume,
    until,
)
from .small_web import page, redirect

SITE = "site.test"
WEB = WebSpec(hosts=10, pages=200, seed=7, latency_ms=(1, 20))


def two_hundreds(files: CrawlFiles) -> int:
    return sum(200 <= row.status < 300 and row.outcome == "response" for row in files.rows)


@pytest.mark.parametrize("limit", [1, 7, 100])
def test_max_pages_stops_at_exactly_that_number_and_a_raised_limit_completes_the_crawl(
    limit: int, tmp_path: Path
) -> None:
    with SimProcess(WEB) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=limit, workers=2))
        assert ending is Ending.LIMIT
        assert two_hundreds(files) == limit
        assert_archive_is_consistent(files)
        ending, files = resume(tmp_path / "crawl", max_pages=1_000_000)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_a_limit_that_was_reached_holds_on_resume(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=20))
        ending, files = resume(tmp_path / "crawl")
    assert ending is Ending.LIMIT
    assert two_hundreds(files) == 20


def test_a_crawl_that_ends_below_its_limit_is_done(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        ending, files = crawl_all(tmp_path / "crawl", quick_config(sim, max_pages=201))
    assert ending is Ending.DONE
    assert two_hundreds(files) == 200


def test_max_bytes_stops_soon_after_and_a_raised_limit_completes_the_crawl(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, max_bytes=100_000, connections=4))
        ending = uvloop.run(asyncio.wait_for(crawl.run(), CRAWL_WITHIN_S))
        assert ending is Ending.LIMIT
        # Beyond the limit goes only what was under way: four connections with a page of 10 KB at most.
        assert 100_000 <= crawl.counters.bytes < 150_000
        ending, files = resume(tmp_path / "crawl", max_bytes=1_000_000_000)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_max_bytes_counts_what_came_of_pages_that_broke_off(tmp_path: Path) -> None:
    broken = Broken(Fault.RESET_IN_BODY, Fixed(b"<!DOCTYPE html>" + b"x" * 200_000))  # half of it comes
    pages: dict[tuple[str, str], Behaviour] = {(SITE, f"/{number}"): broken for number in range(30)}
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        seeds = tuple(sim.web.url(SITE, f"/{number}") for number in range(30))
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=seeds, max_bytes=300_000, connections=4))
        assert uvloop.run(asyncio.wait_for(crawl.run(), CRAWL_WITHIN_S)) is Ending.LIMIT
    assert 300_000 <= crawl.counters.bytes < 800_000
    assert len(sim.log) <= 8, "three and what was under way, and robots.txt"


def test_max_bytes_counts_what_came_of_a_robots_txt_that_broke_off(tmp_path: Path) -> None:
    broken = Broken(Fault.RESET_IN_BODY, Fixed(b"#" * 200_000, content_type="text/plain"))
    pages: dict[tuple[str, str], Behaviour] = {(f"h{number}.test", "/robots.txt"): broken for number in range(30)}
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        seeds = tuple(sim.web.url(f"h{number}.test", "/") for number in range(30))
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim, seeds=seeds, max_bytes=300_000, connections=4))
        assert uvloop.run(asyncio.wait_for(crawl.run(), CRAWL_WITHIN_S)) is Ending.LIMIT
    assert 300_000 <= crawl.counters.bytes < 800_000
    assert len(sim.log) <= 8


def test_max_time_stops_the_run_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        config = quick_config(sim, max_time_s=0.6, delay_s=0.1, connections_per_host=1)
        ending, files = crawl_all(tmp_path / "crawl", config)
        truth = sim.web.truth()
        assert ending is Ending.LIMIT
        while not files.rows:  # on a busy machine that time may be over before the first page has come
            ending, files = resume(tmp_path / "crawl")
            assert ending is Ending.LIMIT
        assert len(files.rows) < len(truth.fetchable)
        ending, files = resume(tmp_path / "crawl", max_time_s=None, delay_s=0.0)
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_a_depth_raised_on_resume_completes_the_crawl_to_the_new_depth(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        _, files = crawl_all(tmp_path / "crawl", quick_config(sim, depth=1))
        assert_fetched_the_truth(files, sim.web.truth(1))
        ending, files = resume(tmp_path / "crawl", depth=3)
        truth = sim.web.truth(3)
    assert len(truth.fetchable) > len(sim.web.truth(1).fetchable)
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_a_depth_limit_removed_on_resume_completes_the_crawl(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, depth=2))
        ending, files = resume(tmp_path / "crawl", depth=None)
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)


def test_a_raised_depth_is_not_forgotten_when_the_run_that_raised_it_is_killed_at_once(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, depth=1))
        # What a kill right after the start leaves: the new settings are stored, nothing else was done.
        Crawl.resume(tmp_path / "crawl", depth=3).folder.close()
        _, files = resume(tmp_path / "crawl")
        truth = sim.web.truth(3)
    assert_fetched_the_truth(files, truth)


def test_a_resumed_depth_limited_crawl_still_finds_shorter_ways(tmp_path: Path) -> None:
    spec = WebSpec(hosts=60, pages=900, seed=7, latency_ms=(1, 100))
    with SimProcess(spec) as sim:
        crawl_all(tmp_path / "crawl", quick_config(sim, depth=4, max_pages=150))
        ending, files = resume(tmp_path / "crawl", max_pages=None)
        truth = sim.web.truth(4)
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)


def test_stop_finishes_what_is_under_way_and_resume_asks_for_nothing_twice(tmp_path: Path) -> None:
    async def stop_after_some_pages(crawl: Crawl) -> Ending:
        running = asyncio.ensure_future(crawl.run())
        await until(lambda: crawl.counters.pages >= 40)
        crawl.stop()
        return await asyncio.wait_for(running, CRAWL_WITHIN_S)

    with SimProcess(WebSpec(hosts=10, pages=400, seed=7, latency_ms=(5, 40))) as sim:
        crawl = Crawl.create(tmp_path / "crawl", quick_config(sim))
        ending = uvloop.run(asyncio.wait_for(stop_after_some_pages(crawl), CRAWL_WITHIN_S))
        truth = sim.web.truth()
        stopped = CrawlFiles(tmp_path / "crawl")
        assert ending is Ending.INTERRUPTED
        assert 40 <= len(stopped.rows) < len(truth.fetchable)
        assert_archive_is_consistent(stopped)
        ending, files = resume(tmp_path / "crawl")
    assert ending is Ending.DONE
    assert_fetched_the_truth(files, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_stop_waits_for_a_response_that_is_on_its_way(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        ("site.test", "/"): Delayed(0.5, Fixed(b"<!DOCTYPE html><a href='/next'>x</a>")),
        ("site.test", "/next"): Fixed(b"<!DOCTYPE html>"),
    }

    async def stop_soon(crawl: Crawl) -> Ending:
        running = asyncio.ensure_future(crawl.run())
        await until(lambda: (progress := crawl.progress()) is not None and progress.visiting > 0)
        crawl.stop()
        return await running

    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url("site.test", "/"),))
        crawl = Crawl.create(tmp_path / "crawl", config)
        assert uvloop.run(asyncio.wait_for(stop_soon(crawl), CRAWL_WITHIN_S)) is Ending.INTERRUPTED
        assert CrawlFiles(tmp_path / "crawl").outcomes() == {sim.web.url("site.test", "/"): "response"}


def test_resume_of_a_finished_crawl_asks_for_nothing_and_changes_nothing(tmp_path: Path) -> None:
    with SimProcess(WEB) as sim:
        _, before = crawl_all(tmp_path / "crawl", quick_config(sim))
        ending, after = resume(tmp_path / "crawl")
        truth = sim.web.truth()
    assert ending is Ending.DONE
    assert [row for row in after.rows if row not in before.rows] == []
    assert_fetched_the_truth(after, truth)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


TREE = {
    "/": page("/a", "/b", "/near"),
    "/a": page("/a/1", "/a/2"),
    "/b": page("/b/1"),
    "/a/1": page("/a/1/x"),
    **{path: page() for path in ("/a/2", "/b/1", "/a/1/x", "/near")},
}


def paths_of(files: CrawlFiles) -> set[str]:
    return {row.url.split("/", 3)[3] for row in files.rows}


@pytest.mark.parametrize("raised", [None, 3])
def test_a_depth_lowered_on_resume_holds_for_what_is_queued_until_it_is_raised_again(
    tmp_path: Path, raised: int | None
) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), {(SITE, path): made for path, made in TREE.items()}) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_pages=4, connections_per_host=1)
        _, files = crawl_all(tmp_path / "crawl", config)
        assert len(files.rows) == 4
        ending, files = resume(tmp_path / "crawl", depth=1, max_pages=None)
        assert ending is Ending.DONE
        assert paths_of(files) == {"", "a", "b", "near"}
        ending, files = resume(tmp_path / "crawl", depth=raised)
        report = read_report(tmp_path / "crawl")
    assert ending is Ending.DONE
    assert paths_of(files) == {path.removeprefix("/") for path in TREE}
    assert len(sim.log) == len({request.path for request in sim.log})
    assert [row for row in report.refusals if row.count < 0] == []


def test_what_a_lowered_depth_holds_back_is_fetched_when_a_shorter_way_to_it_is_found(tmp_path: Path) -> None:
    pages: dict[tuple[str, str], Behaviour] = {
        (SITE, "/"): page("/a", "/slow"),
        (SITE, "/a"): page("/deep"),
        (SITE, "/slow"): Delayed(0.5, redirect("/deep")),  # so /deep has its turn before it is found nearer
        (SITE, "/deep"): page(),
    }
    with SimProcess(WebSpec(hosts=1, pages=1), pages) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_pages=2, connections_per_host=1)
        _, files = crawl_all(tmp_path / "crawl", config)
        assert paths_of(files) == {"", "a"}
        _, files = resume(tmp_path / "crawl", depth=1, max_pages=None, connections_per_host=4)
    assert paths_of(files) == {"", "a", "slow", "deep"}
    assert [request.path for request in sim.log].count("/deep") == 1


def test_a_host_budget_set_on_resume_counts_what_was_fetched_before(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=1, pages=1), {(SITE, path): made for path, made in TREE.items()}) as sim:
        config = quick_config(sim, seeds=(sim.web.url(SITE, "/"),), max_pages=3, connections_per_host=1)
        _, files = crawl_all(tmp_path / "crawl", config)
        assert len(files.rows) == 3
        _, files = resume(tmp_path / "crawl", max_pages_per_host=5, max_pages=None)
    assert len(files.rows) == 5
