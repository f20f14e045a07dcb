"""The end of a crawl whose last pages are slow to come, on hosts of which some are left for another time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.crawling import crawl_all, quick_config
from weft.cluster.servers import Servers
from weft.simweb import SimProcess, WebSpec

from .node_processes import LEASE_S, cluster_crawl, twice

RUNS = 20
NODES = "abcd"
# Who is asked to wait for longer than that leaves the host.
RETRY_AFTER_S = 60
MAX_HOST_WAIT_S = 10.0


def web_with_slow_and_closed_hosts(seed: int) -> WebSpec:
    return WebSpec(
        hosts=32, pages=90, seed=seed, size_spread=0.0, page_bytes=1_000, latency_ms=(5, 1_500), addresses=32,
        rate_limited_share=0.15, rate_limited_requests=1_000_000, retry_after_s=RETRY_AFTER_S, closed_robots_share=0.1,
    )  # fmt: skip


@pytest.mark.large
@pytest.mark.parametrize("seed", range(RUNS))
def test_a_crawl_ends_with_its_last_page_and_not_before(seed: int, nats: Servers, tmp_path: Path) -> None:
    slowly = {"response_timeout_s": 5.0, "idle_timeout_s": 5.0, "max_host_wait_s": MAX_HOST_WAIT_S}
    with SimProcess(web_with_slow_and_closed_hosts(seed)) as sim:
        _, alone = crawl_all(tmp_path / "alone", quick_config(sim, **slowly))
        with cluster_crawl(nats.urls, sim, tmp_path, lease_s=LEASE_S, **slowly) as crawl:  # type: ignore[arg-type]
            nodes = crawl.start_together(*NODES)
            codes = [(node.wait(), node.errors) for node in nodes]
            assert crawl.status().finished == "done"
            done = set(crawl.done())
    assert {errors for _, errors in codes} == {""}, codes
    assert done == {row.url for row in alone.rows}
    others = [one for one in sim.log if one.client.startswith("127.3.")]
    print(f"\n{seed}: {len(done)} pages, {len(others)} requests, codes {[code for code, _ in codes]}", end=" ")
    assert not twice(type(sim.log)(others), sim.http_port)
