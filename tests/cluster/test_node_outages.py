"""Nodes that sleep, and a log that is away: nothing is lost, and no host is asked by two nodes at once."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.engine_process import await_others
from tests.scratch import scratch_folder
from weft.cluster.servers import Servers
from weft.simweb import SimProcess, WebSpec

from .node_processes import LEASE_S, LONG_LEASE_S, cluster_crawl, twice, whole
from .relay import Relay
from .test_node_kills import assert_all_done_once, assert_only_killed_fetched_in_vain, slow_web

DELAY_S = 0.3
WINDOW_S = 5.0
LATE_S = 1.0  # what was chosen, and had yet to connect
PATIENCE_S = 300.0


def polite_web(seed: int) -> WebSpec:
    """Hosts of some ten pages each, so that a delay between requests makes no long crawl of it."""
    return WebSpec(hosts=20, pages=250, seed=seed, size_spread=0.0, page_bytes=1_500, latency_ms=(5, 30))


def test_no_host_is_asked_by_two_nodes_within_its_delay_when_one_has_slept_past_its_lease(
    nats: Servers, tmp_path: Path
) -> None:
    with (
        SimProcess(polite_web(8)) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, delay_s=DELAY_S, connections_per_host=1, lease_s=LEASE_S) as crawl,
    ):
        a, b = crawl.start_together("a", "b")
        a.await_writes(10)
        a.signal_all(signal.SIGSTOP)
        done = set(crawl.done())
        crawl.await_taken_over("a", by="b")
        a.signal_all(signal.SIGCONT)
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=done)
    gaps = sim.log.least_gap_s()
    assert min(gaps.values()) >= DELAY_S - 0.02


@pytest.mark.large
def test_a_crawl_goes_on_when_the_log_was_away_for_longer_than_a_lease(tmp_path: Path) -> None:
    with (
        scratch_folder() as folder,
        Servers(folder, count=1) as servers,
        SimProcess(slow_web(9)) as sim,
        cluster_crawl(servers.urls, sim, tmp_path, lease_s=LEASE_S) as crawl,
    ):
        a, b = crawl.start_together("a", "b")
        a.await_writes(30)
        servers.kill(0)
        asked_until = time.monotonic() + LEASE_S
        await_others(lambda: time.monotonic() > asked_until + 4, "more than a lease")
        begun_again = time.monotonic()
        servers.start_one(0)
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert whole(sim.log, sim.http_port).keys() == sim.web.truth().fetchable
    assert not [one for one in sim.log if asked_until < one.started_at < begun_again]
    assert twice(sim.log, sim.http_port) == {}


@pytest.mark.large
def test_a_node_that_is_cut_off_from_the_log_sends_nothing_after_its_lease(nats: Servers, tmp_path: Path) -> None:
    with (
        SimProcess(slow_web(10, pages=1_500)) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, connections_per_host=1, lease_s=LEASE_S) as crawl,
        Relay(int(nats.urls[0].rpartition(":")[2])) as relay,
    ):
        a = crawl.start("a", nats=relay.url)
        b = crawl.start("b")
        a.await_writes(30)
        relay.cut()
        cut_at = time.monotonic()
        crawl.await_taken_over("a", by="b")
        back_at = time.monotonic()
        relay.restore()
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert whole(sim.log, sim.http_port).keys() == sim.web.truth().fetchable
    sent = [one.started_at for one in sim.log if crawl.name_of(one) == "a"]
    assert not [at for at in sent if cut_at + LEASE_S < at < back_at]


@pytest.mark.large
def test_a_node_that_is_cut_off_from_the_log_begins_nothing_after_two_windows(nats: Servers, tmp_path: Path) -> None:
    slowly: Any = {"delay_s": 1.5, "connections_per_host": 1}
    spec = WebSpec(hosts=60, pages=2_400, seed=12, size_spread=0.0, page_bytes=1_500, latency_ms=(5, 30))
    with (
        SimProcess(spec) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, lease_s=LONG_LEASE_S, **slowly) as crawl,
        Relay(int(nats.urls[0].rpartition(":")[2])) as relay,
    ):
        a = crawl.start("a", nats=relay.url)
        b = crawl.start("b")
        b.await_writes(100)
        relay.cut()
        cut_at = time.monotonic()
        kept = set(crawl.done())
        crawl.await_taken_over("a", by="b")
        back_at = time.monotonic()
        relay.restore()
        crawl.await_finished(PATIENCE_S)
        crawl.await_end(a, b)
        assert_all_done_once(crawl, sim)
    assert_only_killed_fetched_in_vain(crawl, sim, "a", kept=kept)
    in_vain = [one for asked in twice(sim.log, sim.http_port).values() for one in asked[:-1]]
    sent = [one.started_at - cut_at for one in sim.log if crawl.name_of(one) == "a" and one.started_at < back_at]
    first_s = min((one.started_at - cut_at for one in in_vain), default=0.0)
    print(f"\ntwice: {len(in_vain)}, from {first_s:.1f} s on; the last request {max(sent):.1f} s after the cut")
    assert max(sent) <= 2 * WINDOW_S + LATE_S
    assert first_s >= -WINDOW_S - LATE_S
