"""Nodes that die: no page is missed, and no page that counts as done is asked for again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.crawling import CrawlFiles, assert_server_saw_the_truth
from weft.cluster.servers import Servers
from weft.simweb import SimProcess, WebSpec

from .node_processes import LEASE_S, ClusterCrawl, cluster_crawl, twice, whole

# Where, at which pass, and whether that is in the normal suite.
CRASH_POINTS = (
    ("cluster-synced:2", False),
    ("cluster-found:2", True),
    ("cluster-done:2", False),
    ("cluster-claimed:5", False),
    ("cluster-replaying:2", False),
    ("cluster-joined:2", False),
    ("commit-written:60", False),
)
# Of a stream: the reader of the node that was killed, and those of who has just looked. A server allows 1,000.
MOST_CONSUMERS = 3


def slow_web(seed: int, pages: int = 250) -> WebSpec:
    """Slow enough that a crawl is in the middle of it when something happens."""
    return WebSpec(hosts=30, pages=pages, seed=seed, latency_ms=(40, 200), page_bytes=1_500)


def at_points() -> list[object]:
    return [
        pytest.param(point, id=point, marks=() if is_normal else pytest.mark.large) for point, is_normal in CRASH_POINTS
    ]


def assert_all_done_once(crawl: ClusterCrawl, sim: SimProcess) -> None:
    """In the cluster's log."""
    assert crawl.done() == Counter(sim.web.truth().fetchable)


def assert_only_killed_fetched_in_vain(crawl: ClusterCrawl, sim: SimProcess, *killed: str, kept: set[str]) -> None:
    """No page was missed, and none was asked for again but what a killed node had not finished."""
    assert whole(sim.log, sim.http_port).keys() == sim.web.truth().fetchable
    again = twice(sim.log, sim.http_port)
    assert not again.keys() & kept
    in_vain = {crawl.name_of(request) for asked in again.values() for request in asked[:-1]}
    assert in_vain <= set(killed)


def test_others_take_over_from_a_node_that_was_killed(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(3)) as sim, cluster_crawl(nats.urls, sim, tmp_path, lease_s=LEASE_S) as crawl:
        a, b, c = crawl.start_together("a", "b", "c")
        a.await_writes(10)
        a.kill()
        done = set(crawl.done())
        crawl.await_end(b, c)
        assert_all_done_once(crawl, sim)
        assert crawl.consumers() <= MOST_CONSUMERS
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=done)


@pytest.mark.parametrize("point", at_points())
def test_a_node_back_within_its_lease_fetches_only_again_what_was_under_way(
    point: str, nats: Servers, tmp_path: Path
) -> None:
    with SimProcess(slow_web(4)) as sim, cluster_crawl(nats.urls, sim, tmp_path) as crawl:
        a, b = crawl.start_together("a", "b", crash_at={"a": point})
        a.await_kill()
        committed = crawl.committed(a)
        a = crawl.start("a")
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=committed)


@pytest.mark.large
def test_a_node_killed_at_a_release_leaves_nothing_behind(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(5)) as sim, cluster_crawl(nats.urls, sim, tmp_path, lease_s=LEASE_S) as crawl:
        a = crawl.start("a", crash_at="cluster-releasing")
        a.await_writes(20)
        b = crawl.start("b")  # gets half of the buckets
        a.await_kill()
        committed = crawl.committed(a)
        a = crawl.start("a")
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=committed)


@pytest.mark.large
def test_a_node_killed_at_its_restart_has_lost_nothing(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(6)) as sim, cluster_crawl(nats.urls, sim, tmp_path, lease_s=LEASE_S) as crawl:
        a, b = crawl.start_together("a", "b")
        a.await_writes(30)
        a.kill()
        committed = crawl.committed(a)
        a = crawl.start("a", crash_at="cluster-restarting")
        a.await_kill()
        a = crawl.start("a")
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=committed)


@pytest.mark.large
def test_a_node_back_after_its_lease_takes_part_again(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(slow_web(7, pages=1_000)) as sim, cluster_crawl(nats.urls, sim, tmp_path, lease_s=LEASE_S) as crawl:
        a, b = crawl.start_together("a", "b")
        a.await_writes(30)
        a.kill()
        done = set(crawl.done())
        crawl.await_status(lambda status: not status.nodes[0].lives, "the end of a's life")
        a = crawl.start("a")
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=done)


def test_a_node_killed_before_its_index_files_writes_them_when_it_is_started_again(
    nats: Servers, tmp_path: Path
) -> None:
    with SimProcess(slow_web(44, pages=120)) as sim, cluster_crawl(nats.urls, sim, tmp_path) as crawl:
        a, b = crawl.start_together("a", "b", crash_at={"a": "index"})
        a.await_kill()
        crawl.await_end(b)
        assert not (a.folder / "pages.jsonl").exists()
        crawl.await_end(crawl.start("a"))
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
    rows = [row.url for node in (a, b) for row in CrawlFiles(node.folder).rows]
    assert Counter(rows) == Counter(sim.web.truth().fetchable)
