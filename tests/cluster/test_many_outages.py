"""Three servers of NATS that go away one by one and together, again and again; and a disk that is lost."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client

from tests.scratch import scratch_folder
from weft.cluster.servers import Servers
from weft.simweb import SimProcess

from .nats_servers import answered
from .node_processes import ClusterCrawl, cluster_crawl, twice, whole
from .test_many_kills import many_pages
from .test_node_kills import assert_all_done_once

ROUNDS = 3
AWAY_S = 60.0  # longer than a lease
BRIEFLY_S = 5.0
LEASE_S = 20.0
DELAY_S = 3.0
ENDS_WITHIN_S = 900.0

pytestmark = pytest.mark.large


def test_nothing_is_lost_nor_fetched_twice_when_servers_die_one_by_one_and_together(tmp_path: Path) -> None:
    manners: Any = {"delay_s": DELAY_S, "connections_per_host": 1}
    with (
        scratch_folder() as folder,
        Servers(folder, count=3) as servers,
        SimProcess(many_pages(43)) as sim,
        cluster_crawl(servers.urls, sim, tmp_path, lease_s=LEASE_S, replicas=3, **manners) as crawl,
    ):
        nodes = crawl.start_together("a", "b", "c")
        outages = []
        for number in range(ROUNDS):
            await_progress(crawl)
            kill_leader(crawl, servers)
            await_progress(crawl)
            outages.append(kill_all(servers, AWAY_S if number == 1 else BRIEFLY_S))
        await_progress(crawl)
        lose_a_disk(servers, folder, number=1)
        await_progress(crawl)
        assert not crawl.status().finished  # there was always something to do
        crawl.await_finished(ENDS_WITHIN_S)
        crawl.await_end(*nodes)
        assert_all_done_once(crawl, sim)
    asked = whole(sim.log, sim.http_port)
    again = twice(sim.log, sim.http_port)
    starts = sorted(one.started_at for one in sim.log)
    back = [min(start for start in starts if start > came_back) - came_back for _, came_back in outages]
    print(f"\n{len(asked):,} pages, {len(again)} twice; asked again after {', '.join(f'{s:.1f} s' for s in back)}")
    assert asked.keys() == sim.web.truth().fetchable
    cancelled = [one for requests in again.values() for one in requests[:-1]]
    assert all(any(gone < one.started_at < back for gone, back in outages) for one in cancelled)


def await_progress(crawl: ClusterCrawl, pages: int = 150) -> None:
    """Until this many more are done: all goes its way again."""
    before = crawl.status().pages
    crawl.await_status(lambda status: status.pages >= before + pages, "pages", ENDS_WITHIN_S)


def kill_leader(crawl: ClusterCrawl, servers: Servers) -> None:
    """Of the first stream; it comes back when others have taken its place."""

    async def leader(client: Client) -> int:
        info = await answered(lambda: client.jetstream().stream_info(f"WEFT_{crawl.name}_0"))
        assert info.cluster is not None
        assert info.cluster.leader is not None
        return int(info.cluster.leader.removeprefix("weft-")) - 1

    number = crawl.ask(leader)
    servers.kill(number)
    await_progress(crawl, 60)
    servers.start_one(number)


def kill_all(servers: Servers, away_s: float) -> tuple[float, float]:
    """From when until when they were away."""
    began = time.monotonic()
    for number in range(3):
        servers.kill(number)
    time.sleep(away_s)
    servers.start()
    return began, time.monotonic()


def lose_a_disk(servers: Servers, folder: Path, number: int) -> None:
    servers.kill(number)
    shutil.rmtree(folder / str(number + 1))
    servers.start_one(number)
