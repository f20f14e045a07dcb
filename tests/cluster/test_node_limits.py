"""A crawl of several nodes ends where one would, and does what a person asks of it on the way."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client

from tests.pipeline.crawling import CrawlFiles, assert_server_saw_the_truth, crawl_all, quick_config
from tests.pipeline.engine_process import await_others
from weft.api.rank import rank
from weft.cli.exits import Exit
from weft.cluster import control
from weft.cluster.events import Found, from_bytes
from weft.cluster.log import NatsLog
from weft.cluster.servers import Servers
from weft.errors import BadInput
from weft.simweb import SimProcess, WebSpec

from .node_processes import BUCKETS, LEASE_S, ClusterCrawl, cluster_crawl, whole
from .test_node_kills import assert_all_done_once, slow_web

QUIET_S = 3.0  # two renewals

# So that much is left to do when something happens; and what nodes say of themselves is fresh.
SLOWLY: Any = {"delay_s": 0.06, "connections_per_host": 1, "lease_s": LEASE_S}


def test_max_pages_is_kept_to_the_page(nats: Servers, tmp_path: Path) -> None:
    spec = WebSpec(hosts=20, pages=250, seed=21)
    with SimProcess(spec) as sim, cluster_crawl(nats.urls, sim, tmp_path, max_pages=80) as crawl:
        nodes = crawl.start_together("a", "b", "c")
        crawl.await_end(*nodes, code=Exit.LIMIT)
        assert crawl.status().finished == "limit"
    asked = [one for requests in whole(sim.log, sim.http_port).values() for one in requests]
    assert sum(one.status == 200 for one in asked) == 80  # as on one machine, others are no pages
    rows = [row for node in nodes for row in CrawlFiles(node.folder).rows]
    assert sum(row.status == 200 for row in rows) == 80


def test_a_depth_limit_leads_to_the_same_pages_as_on_one_machine(nats: Servers, tmp_path: Path) -> None:
    spec = WebSpec(hosts=20, pages=250, seed=22)
    with SimProcess(spec) as sim, cluster_crawl(nats.urls, sim, tmp_path, depth=2) as crawl:
        crawl.await_end(*crawl.start_together("a", "b", "c"))
    truth = sim.web.truth(max_depth=2)
    assert 0 < len(truth.fetchable) < len(sim.web.truth().fetchable)
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)


def test_what_lies_beyond_the_scope_is_the_same_as_on_one_machine(nats: Servers, tmp_path: Path) -> None:
    reach: Any = {"other_depth": 1, "near": True}  # both count steps, which travel with the links

    def found(*folders: Path) -> set[str]:
        return {row.url for folder in folders for row in CrawlFiles(folder).rows}

    with SimProcess(WebSpec(hosts=40, pages=600, seed=22)) as sim:
        seeds = quick_config(sim).seeds[:1]
        _, alone = crawl_all(tmp_path / "alone", quick_config(sim, seeds=seeds, scope="host"))
        _, reaching = crawl_all(tmp_path / "reaching", quick_config(sim, seeds=seeds, scope="host", **reach))
        within, wanted = {row.url for row in alone.rows}, {row.url for row in reaching.rows}
        assert within < wanted
        with cluster_crawl(nats.urls, sim, tmp_path, seeds=seeds, scope="host", **reach) as crawl:
            nodes = crawl.start_together("a", "b", "c")
            crawl.await_end(*nodes)
        assert found(*(node.folder for node in nodes)) == wanted
        assert sum(bool(CrawlFiles(node.folder).rows) for node in nodes) > 1


def test_nodes_crawl_by_scores_which_travel_with_the_links(nats: Servers, tmp_path: Path) -> None:
    spec = WebSpec(hosts=15, pages=120, seed=27)
    with SimProcess(spec) as sim, cluster_crawl(nats.urls, sim, tmp_path, order="opic", graph=True) as crawl:
        nodes = crawl.start_together("a", "b")
        crawl.await_end(*nodes)
        assert_all_done_once(crawl, sim)

        async def scores(client: Client) -> list[float | None]:
            log = NatsLog(client, crawl.name)
            events = [
                from_bytes(message.data)
                for stream, end in enumerate(await log.ends())
                async for messages in log.replay(stream, ["f.*"], 0, end)
                for message in messages
            ]
            return [one.priority for event in events if isinstance(event, Found) for one in event.urls]

        told = crawl.ask(scores)
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
    assert sum(score is not None and score > 0 for score in told) > 50
    ranking = rank([node.folder for node in nodes], by="opic", top=5)
    assert [one.url.startswith("http") for one in ranking.best["opic"]] == [True] * 5


@pytest.mark.large
def test_max_time_ends_all_nodes(nats: Servers, tmp_path: Path) -> None:
    spec = WebSpec(hosts=20, pages=4_000, seed=23, latency_ms=(50, 100))
    with SimProcess(spec) as sim, cluster_crawl(nats.urls, sim, tmp_path, max_time_s=8.0) as crawl:
        nodes = crawl.start_together("a", "b")
        crawl.await_end(*nodes, code=Exit.LIMIT)
        done = crawl.done()
        assert crawl.status().finished == "limit"
    assert 0 < len(done) < 4_000
    assert done.keys() == whole(sim.log, sim.http_port).keys()


@pytest.mark.large
def test_a_pause_stops_all_requests_until_it_is_over(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(24)) as sim, cluster_crawl(nats.urls, sim, tmp_path, **SLOWLY) as crawl:
        a, b = crawl.start_together("a", "b")
        a.await_writes(30)
        crawl.ask(lambda client: control.pause(client, crawl.name, paused=True))
        quiet_since, resumed_at = await_quiet(crawl)
        assert crawl.status().pages < len(sim.web.truth().fetchable)
        crawl.ask(lambda client: control.pause(client, crawl.name, paused=False))
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
    assert not [one for one in sim.log if quiet_since < one.started_at < resumed_at]


def await_quiet(crawl: ClusterCrawl) -> tuple[float, float]:
    """Until no node has counted a request for a while; from when until when."""
    seen: list[tuple[float, Counter[str]]] = []

    def is_quiet() -> bool:
        now = time.monotonic()
        counts = Counter({node.name: node.counts.requests for node in crawl.status().nodes})
        if not seen or seen[0][1] != counts:
            seen[:] = [(now, counts)]
        return now - seen[0][0] > QUIET_S

    await_others(is_quiet, "no more requests")
    return seen[0][0], seen[0][0] + QUIET_S


@pytest.mark.large
def test_a_drained_node_gives_up_all_without_fetching_a_page_twice(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(25)) as sim, cluster_crawl(nats.urls, sim, tmp_path, **SLOWLY) as crawl:
        a, b = crawl.start_together("a", "b")
        a.await_writes(30)
        crawl.ask(lambda client: control.drain(client, crawl.name, "a"))
        crawl.await_status(
            lambda status: {node.name: node.buckets for node in status.nodes} == {"a": 0, "b": BUCKETS}, "the drain"
        )
        drained_at = time.monotonic()
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
    assert {crawl.name_of(one) for one in sim.log if one.started_at > drained_at} <= {"b"}


@pytest.mark.large
def test_a_node_that_is_interrupted_hands_over_at_once(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(26)) as sim, cluster_crawl(nats.urls, sim, tmp_path, **SLOWLY) as crawl:
        a, b = crawl.start_together("a", "b")
        a.await_writes(30)
        a.interrupt()
        crawl.await_end(a, code=Exit.INTERRUPTED)
        left_at = time.monotonic()
        crawl.await_end(b)
        assert_all_done_once(crawl, sim)
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
    assert [one for one in sim.log if one.started_at > left_at]  # there was something left to do


def test_a_crawl_that_was_stopped_goes_on_where_it_was(nats: Servers, tmp_path: Path) -> None:
    tries = count(1)
    while not is_stopped_midway(nats, tmp_path / f"{next(tries)}"):
        pass


def is_stopped_midway(nats: Servers, folder: Path) -> bool:
    """Stop a crawl, and go on; False if it was over by then."""
    with SimProcess(slow_web(27)) as sim, cluster_crawl(nats.urls, sim, folder, **SLOWLY) as crawl:
        a, b = crawl.start_together("a", "b")
        a.await_writes(10)
        with suppress(BadInput):  # it is over
            crawl.ask(lambda client: control.stop(client, crawl.name))
        crawl.await_end(a, b)
        if crawl.status().finished:
            return False
        assert crawl.done().keys() < sim.web.truth().fetchable
        crawl.ask(lambda client: control.pause(client, crawl.name, paused=False))
        crawl.await_end(*crawl.start_together("a", "b"))
        assert_all_done_once(crawl, sim)
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
    return True
