"""Kill after kill, at random moments, of a crawl that goes on for minutes."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from nats.aio.client import Client

from weft.cli.exits import Exit
from weft.cluster.control import Status
from weft.cluster.servers import Servers
from weft.cluster.shared import open_shared
from weft.simweb import Request, SimProcess, WebSpec

from .node_processes import BUCKETS, ClusterCrawl, NodeProcess, cluster_crawl, twice, whole
from .test_node_kills import assert_all_done_once

NODES = "abcd"
KILLS = 10
PAGES = 5_000
DELAY_S = 1.5
LEASE_S = 12.0
ENDS_WITHIN_S = 600.0

pytestmark = pytest.mark.large


class Kill(NamedTuple):
    """Who was killed, and what counted as done then."""

    node: str
    began_at: float  # the node
    at: float
    known_at: float  # what was done
    done: set[str]
    committed: set[str]  # by the node itself, if it is back at once: it publishes that before anything else
    used: int  # pages, as its last renewal said

    @property
    def is_back_at_once(self) -> bool:
        return bool(self.committed)

    def ends_return_of(self, kill: Kill) -> bool:
        """Whether the node was killed again before it could publish, and then stayed away."""
        return self.node == kill.node and not self.is_back_at_once and 0 < self.at - kill.at < LEASE_S


def many_pages(seed: int, pages: int = PAGES) -> WebSpec:
    """All hosts have as many pages, so that much is left to do to the end."""
    return WebSpec(hosts=120, pages=pages, seed=seed, size_spread=0.0, page_bytes=1_500, latency_ms=(20, 120))


def kill_again_and_again(crawl: ClusterCrawl, dice: random.Random, moments: list[int]) -> list[Kill]:
    """A node at each of these numbers of pages; it is back at once, or when others have its buckets."""
    nodes = {node.name: node for node in crawl.start_together(*NODES)}
    kills = []
    for number, pages in enumerate(moments):
        crawl.await_status(lambda status, pages=pages: status.pages >= pages, f"{pages} pages", ENDS_WITHIN_S)  # type: ignore[misc]
        name = dice.choice(NODES)
        kills.append(killed(crawl, nodes[name], is_back_at_once=bool(number % 2)))
        if not kills[-1].is_back_at_once:
            crawl.await_status(lambda status, name=name: is_taken_over(status, name), f"others take {name}'s buckets")  # type: ignore[misc]
        nodes[name] = crawl.start(name)
    return kills


def is_taken_over(status: Status, gone: str) -> bool:
    """Whether all buckets are others', or nobody needs them any more."""
    living = {node.name: node.buckets for node in status.nodes if node.lives}
    return bool(status.finished) or (gone not in living and sum(living.values()) == BUCKETS)


def killed(crawl: ClusterCrawl, node: NodeProcess, *, is_back_at_once: bool) -> Kill:
    node.kill()
    at = time.monotonic()
    committed = crawl.committed(node) if is_back_at_once else set()
    used = crawl.ask(lambda client: used_by(client, crawl.name, node.name))
    done = set(crawl.done())
    return Kill(node.name, node.began_at, at, time.monotonic(), done, committed, used)


async def used_by(client: Client, crawl: str, name: str) -> int:
    entry = await (await open_shared(client, crawl)).member(name)
    return entry[1].used if entry is not None else 0


def of_life(crawl: ClusterCrawl, kill: Kill, asked: list[Request]) -> list[Request]:
    """What the node asked for in the life that was cut off."""
    return [one for one in asked if crawl.name_of(one) == kill.node and kill.began_at < one.started_at < kill.at]


def test_ten_kills_at_random_lose_no_page_and_none_that_was_done_is_fetched_again(
    nats: Servers, tmp_path: Path
) -> None:
    dice = random.Random(17)
    manners: Any = {"delay_s": DELAY_S, "connections_per_host": 1}
    with (
        SimProcess(many_pages(41)) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, lease_s=LEASE_S, **manners) as crawl,
    ):
        moments = sorted(dice.sample(range(PAGES // 20, PAGES * 17 // 20), KILLS))
        kills = kill_again_and_again(crawl, dice, moments)
        crawl.await_finished(ENDS_WITHIN_S)
        crawl.await_end(*{node.name: node for node in crawl.nodes}.values())
        assert_all_done_once(crawl, sim)
    asked = whole(sim.log, sim.http_port)
    assert asked.keys() == sim.web.truth().fetchable
    in_vain = [one for requests in twice(sim.log, sim.http_port).values() for one in requests[:-1]]
    lives = [of_life(crawl, kill, in_vain) for kill in kills]
    print(f"\n{len(asked):,} pages, {len(kills)} kills, {len(in_vain)} fetched in vain")
    for kill, lost in zip(kills, lives, strict=True):
        oldest_s = max((kill.at - one.started_at for one in lost), default=0.0)
        print(
            f"  {kill.node} {'back at once' if kill.is_back_at_once else 'gone':12} {len(lost):3}, {oldest_s:.1f} s old"
        )
    for kill in kills:
        is_back = not any(other.ends_return_of(kill) for other in kills)
        own = {url for url in kill.committed if is_back and of_life(crawl, kill, asked[url])}
        again = [one for url in kill.done | own for one in asked[url] if one.started_at > kill.known_at]
        assert not again, (kill.node, kill.is_back_at_once, again)
    assert len(in_vain) == sum(map(len, lives))  # each by a node that was killed
    gaps = sim.log.least_gap_s()
    assert min(gaps.values()) >= DELAY_S - 0.02


def test_max_pages_is_passed_by_at_most_what_the_killed_had_not_told(nats: Servers, tmp_path: Path) -> None:
    limit, dice = 1_000, random.Random(18)
    manners: Any = {"delay_s": 3.0, "connections_per_host": 1}
    with (
        SimProcess(many_pages(42)) as sim,
        cluster_crawl(nats.urls, sim, tmp_path, lease_s=8.0, max_pages=limit, **manners) as crawl,
    ):
        kills = kill_again_and_again(crawl, dice, [100, 300, 550, 800])
        crawl.await_finished(ENDS_WITHIN_S)
        crawl.await_end(*{node.name: node for node in crawl.nodes}.values(), code=Exit.LIMIT)
        assert crawl.status().finished == "limit"
    pages = [one for asked in whole(sim.log, sim.http_port).values() for one in asked if one.status == 200]
    untold = [len(of_life(crawl, kill, pages)) - kill.used for kill in kills]
    print(f"\n{len(pages):,} pages of {limit:,}; the killed had not told of {untold}")
    assert limit <= len(pages) <= limit + sum(untold)
