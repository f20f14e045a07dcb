"""What hosts ask for is kept by whichever node asks them."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.cluster.servers import Servers
from weft.simweb import SimProcess, WebSpec

from .node_processes import LEASE_S, cluster_crawl
from .test_node_kills import assert_all_done_once, assert_only_killed_fetched_in_vain

CRAWL_DELAY_S = 1.0
SPEC = WebSpec(
    hosts=16, pages=240, seed=31, size_spread=0.0, page_bytes=1_500, robots_share=0.0, crawl_delay_share=1.0,
    crawl_delay_s=CRAWL_DELAY_S, addresses=16,
)  # fmt: skip


@pytest.mark.large
@pytest.mark.parametrize("is_killed", [False, True], ids=["moves", "kill"])
def test_a_crawl_delay_is_kept_over_take_overs(is_killed: bool, nats: Servers, tmp_path: Path) -> None:
    with (
        SimProcess(SPEC) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, connections_per_host=1, lease_s=LEASE_S) as crawl,
    ):
        a = crawl.start("a")
        a.await_writes(40)
        b = crawl.start("b")  # takes half of the hosts, in the middle of their delays
        b.await_writes(20)
        kept = set(crawl.done())
        if is_killed:
            a.kill()
        crawl.await_end(*([b] if is_killed else [a, b]))
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, *(["a"] if is_killed else []), kept=kept)
    assert {crawl.name_of(request) for request in sim.log} == {"a", "b"}
    gaps = sim.log.least_gap_s()
    assert gaps
    assert min(gaps.values()) >= CRAWL_DELAY_S - 0.02, sorted(gaps.items(), key=lambda one: one[1])[:3]
