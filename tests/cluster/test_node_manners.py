"""What hosts ask for is kept by whichever node asks them."""

from __future__ import annotations

import json
import time
from datetime import datetime
from pathlib import Path

import pytest

from weft.cluster.servers import Servers
from weft.simweb import SimProcess, WebSpec

from .node_processes import LEASE_S, NodeProcess, cluster_crawl
from .test_node_kills import assert_all_done_once, assert_only_killed_fetched_in_vain

CRAWL_DELAY_S = 1.0
ADDRESS_RATE = 10  # requests a second, with a delay of a second
WINDOW_S = 10.0
PATIENCE_S = 300.0
AHEAD_S = 20  # of a node's wall clock
FAKETIME = tuple(Path(__file__).parents[2].glob(".servers/**/faketime/libfaketime.so.1"))
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


@pytest.mark.large
def test_four_nodes_together_keep_to_the_limit_of_an_address_with_forty_domains(nats: Servers, tmp_path: Path) -> None:
    spec = WebSpec(
        hosts=160, pages=500, seed=32, size_spread=0.0, page_bytes=1_500, robots_share=0.0, addresses=1, seed_hosts=160
    )
    with SimProcess(spec) as sim, cluster_crawl(nats.urls, sim, tmp_path, delay_s=1.0, connections_per_host=1) as crawl:
        nodes = crawl.start_together("a", "b", "c", "d")
        crawl.await_finished(PATIENCE_S)
        crawl.await_end(*nodes)
        assert_all_done_once(crawl, sim)
    (most,) = sim.log.peak_rate("address", WINDOW_S).values()
    (at_once,) = sim.log.peak_concurrency("address").values()
    seconds = max(one.started_at for one in sim.log) - min(one.started_at for one in sim.log)
    print(f"\n{len(sim.log)} requests in {seconds:.0f} s, most in {WINDOW_S:.0f} s: {most}, at once: {at_once}")
    assert {crawl.name_of(request) for request in sim.log} == {"a", "b", "c", "d"}
    assert most <= ADDRESS_RATE * WINDOW_S + 4  # the first of each node
    assert at_once <= 4


@pytest.mark.large
@pytest.mark.skipif(not FAKETIME, reason="libfaketime is not in .servers: tests/install-servers brings it")
def test_a_node_whose_wall_clock_is_ahead_keeps_delays_as_the_others_do(
    nats: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        SimProcess(SPEC) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, connections_per_host=1, lease_s=LEASE_S) as crawl,
    ):
        a = crawl.start("a")
        a.await_writes(40)
        with monkeypatch.context() as ahead:
            ahead.setenv("LD_PRELOAD", str(FAKETIME[0]))
            ahead.setenv("FAKETIME", f"+{AHEAD_S}s")
            ahead.setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            b = crawl.start("b", preexec=lambda: None)  # in the usual way: a fork would not be ahead
        b.await_writes(20)
        assert fetched_ahead_s(b) > AHEAD_S / 2
        kept = set(crawl.done())
        a.kill()
        crawl.await_taken_over("a", by="b")
        a = crawl.start("a")  # takes half of the hosts from the one that is ahead
        crawl.await_end(a)
        b.wait()  # with an error, as libfaketime refuses the sleep in which Python waits for the workers' end
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=kept)
    gaps = sim.log.least_gap_s()
    print(f"\nleast gap of {len(gaps)} hosts: {min(gaps.values()):.3f} s")
    assert min(gaps.values()) >= CRAWL_DELAY_S - 0.02


def fetched_ahead_s(node: NodeProcess) -> float:
    """How far ahead of this process a node's clock is, by the last line of its log."""
    last = (node.folder / "crawl.log").read_text().splitlines()[-1]
    return datetime.fromisoformat(json.loads(last)["time"]).timestamp() - time.time()
