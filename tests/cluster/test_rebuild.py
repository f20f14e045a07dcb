"""All servers have lost their disks: a new log is made from the nodes' folders, and the crawl goes on."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from nats.aio.client import Client

from tests.cli.running import Finished, assert_is_one_sentence
from tests.scratch import scratch_folder
from weft.cluster.control import start
from weft.cluster.log import NatsLog
from weft.cluster.rebuild import _refuse_whole
from weft.cluster.remains import Remains
from weft.cluster.servers import Servers
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.simweb import SimProcess, WebSpec

from .crawling import with_client
from .node_processes import ClusterCrawl, NodeProcess, cluster_crawl, twice

WEB = WebSpec(hosts=30, pages=250, seed=23)
DELAY_S = 0.1  # so that it takes longer than what nodes keep to themselves for a while


class Loss:
    """A server that can lose all of its data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.servers = Servers(folder, 1)

    def happens(self) -> None:
        """It is killed, and nothing of it is left; then it is started again."""
        self.servers.kill(0)
        shutil.rmtree(self._folder / "1")

    def is_repaired(self) -> None:
        self.servers.start_one(0)


@pytest.fixture(name="loss")
def server_that_loses_all() -> Iterator[Loss]:
    with scratch_folder() as folder:
        loss = Loss(folder)
        with loss.servers:
            yield loss


def rebuilt(crawl: ClusterCrawl, nodes: list[NodeProcess], loss: Loss, name: str = "") -> Finished:
    folders = [str(node.folder) for node in nodes]
    flags = ("--nats", ",".join(loss.servers.urls), "--replicas", "1")
    return Finished("cluster", "rebuild", name or crawl.name, *folders, *flags, cwd=nodes[0].folder)


@pytest.mark.parametrize("was_reading", [True, pytest.param(False, marks=pytest.mark.large)])
def test_no_page_is_missed_and_none_that_was_done_is_fetched_again(
    was_reading: bool, loss: Loss, tmp_path: Path
) -> None:
    """Also when links were in the log that their node had not read yet."""
    tries = count(1)
    while not is_rebuilt_midway(loss, tmp_path / f"{next(tries)}", was_reading=was_reading):
        loss.is_repaired()


def is_rebuilt_midway(loss: Loss, folder: Path, *, was_reading: bool) -> bool:
    """Lose the log of a crawl that is half done, and go on; False if it was over by then."""
    with (
        SimProcess(WEB) as sim,
        cluster_crawl(loss.servers.urls, sim, folder, delay_s=DELAY_S, lease_s=30.0) as crawl,
    ):
        nodes = crawl.start_together("a", "b", "c")
        crawl.await_done(50)
        if not was_reading:
            nodes[1].signal_all(signal.SIGSTOP)
            crawl.await_done(len(crawl.done()) + 20)
        loss.happens()
        crawl.kill_all()
        done = set().union(*(crawl.committed(node) for node in nodes))
        truth = set(sim.web.truth().fetchable)
        assert len(done) >= 50
        if len(done) == len(truth):
            return False
        loss.is_repaired()
        made = rebuilt(crawl, nodes, loss)
        assert (made.code, made.errors) == (0, "")
        again = rebuilt(crawl, nodes, loss)
        assert again.code == 2
        assert_is_one_sentence(again)
        assert "its log is whole" in again.errors
        crawl.await_end(*crawl.start_together("a", "b", "c"))
        assert set(crawl.done()) == truth
        assert crawl.status().finished == "done"
    assert not done & twice(sim.log, sim.http_port).keys()
    return True


@pytest.mark.parametrize(("more", "is_refused"), [(0, True), (1, False)])
def test_a_log_that_ends_before_what_a_folder_knows_of_it_is_made_again(
    more: int, is_refused: bool, nats: Servers
) -> None:
    """As one that was set back to an old backup: nothing else shows it."""

    async def refuse(client: Client) -> None:
        crawl = f"short-{more}"
        await start(client, crawl, CrawlConfig(seeds=("http://a.test/",)), buckets=64, replicas=1)
        ends = [end + more for end in await NatsLog(client, crawl).ends()]
        remains = cast("Remains", SimpleNamespace(reached=lambda streams: ends))
        with pytest.raises(BadInput, match="its log is whole") if is_refused else nullcontext():
            await _refuse_whole(client, crawl, remains)

    with_client(nats.urls, refuse)


def test_what_does_not_fit_is_told_in_one_sentence(loss: Loss, tmp_path: Path) -> None:
    slowly: Any = {"delay_s": DELAY_S, "lease_s": 30.0}
    with SimProcess(WEB) as sim, cluster_crawl(loss.servers.urls, sim, tmp_path, **slowly) as crawl:
        nodes = crawl.start_paused("a", "b")
        in_use = rebuilt(crawl, nodes, loss)
        assert in_use.code == 6
        assert "is in use" in in_use.errors
        loss.happens()
        crawl.kill_all()
        loss.is_repaired()
        other = rebuilt(crawl, nodes, loss, "other")
        assert other.code == 2
        assert f"is of the crawl {crawl.name}" in other.errors
        twice_named = rebuilt(crawl, [nodes[0], nodes[0]], loss)
        assert twice_named.code == 2
        for refused in (in_use, other, twice_named):
            assert_is_one_sentence(refused)
