"""Several nodes crawl one web: all of it, each page once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.pipeline.crawling import CrawlFiles, assert_server_saw_the_truth
from weft.cluster.servers import Servers
from weft.simweb import SimProcess, WebSpec

from .node_processes import cluster_crawl
from .test_node_kills import assert_all_done_once, slow_web

DELAY_S = 0.06  # so that much is left to do when the others come


def test_three_nodes_fetch_what_one_does_and_no_page_twice(nats: Servers, tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=30, pages=300, seed=17)) as sim, cluster_crawl(nats.urls, sim, tmp_path) as crawl:
        nodes = crawl.start_together("a", "b", "c")
        crawl.await_end(*nodes)
        assert crawl.done() == Counter(sim.web.truth().fetchable)
        assert crawl.status().finished == "done"
    truth = sim.web.truth()
    assert_server_saw_the_truth(sim.log, sim.http_port, truth)
    assert {crawl.name_of(request) for request in sim.log} == {"a", "b", "c"}
    files = [CrawlFiles(node.folder) for node in nodes]
    assert Counter(row.url for one in files for row in one.rows) == Counter(truth.fetchable)
    archived = Counter(url for one in files for url, times in one.records()["response"].items() for _ in range(times))
    assert archived == Counter(truth.fetchable)


@pytest.mark.large
def test_nodes_that_join_in_the_middle_fetch_no_page_again(nats: Servers, tmp_path: Path) -> None:
    with (
        SimProcess(slow_web(18, pages=900)) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, connections_per_host=1, delay_s=DELAY_S) as crawl,
    ):
        a = crawl.start("a")
        a.await_writes(50)
        b = crawl.start("b")
        c = crawl.start("c")
        crawl.await_end(a, b, c)
        assert_all_done_once(crawl, sim)
    assert_server_saw_the_truth(sim.log, sim.http_port, sim.web.truth())
