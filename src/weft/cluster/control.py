"""What a person does with a cluster's crawl: begin it, look at it, add seeds, pause, drain, stop."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterable
from typing import Final

import msgspec
from nats.aio.client import Client

from weft.cluster.connection import enough_servers
from weft.cluster.events import found_events, scope_events, url_of
from weft.cluster.holdings import FEWEST_BUCKETS, MOST_BUCKETS, Shares
from weft.cluster.log import SCOPE, STREAMS, Log, NatsLog, found
from weft.cluster.members import Counts, Member
from weft.cluster.node import checked_name
from weft.cluster.shared import Settings, Shared, create, is_one, open_shared, remove
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.pipeline.crawl import check
from weft.pipeline.seeds import with_seeds_logins
from weft.types import Kind, Link
from weft.url import host_of

LEASE_S: Final = 30.0
BUCKETS: Final = 256
PUBLISHED_AT_ONCE: Final = 64


class NodeStatus(msgspec.Struct):
    """One node."""

    name: str
    address: str
    weight: int
    lives: bool
    leaves: bool
    buckets: int
    is_idle: bool
    counts: Counts
    sent_to: dict[str, int]


class Status(msgspec.Struct):
    """A crawl as it stands: what `--json` prints."""

    crawl: str
    buckets: int
    unowned: int  # buckets that should be nobody's
    paused: bool
    stopped: bool
    finished: str
    events: int  # in the log
    pages: int
    queued: int
    nodes: list[NodeStatus]


async def start(
    client: Client,
    crawl: str,
    config: CrawlConfig,
    *,
    buckets: int = BUCKETS,
    replicas: int = 3,
    lease_s: float = LEASE_S,
) -> None:
    """Begin a crawl: its settings and seeds live in the cluster."""
    checked_name(crawl, "a crawl's name")
    if buckets & (buckets - 1) or not FEWEST_BUCKETS <= buckets <= MOST_BUCKETS:
        raise BadInput(f"--buckets is a power of 2 from {FEWEST_BUCKETS} to {MOST_BUCKETS:,}, not {buckets}")
    if replicas not in (1, 3):
        raise BadInput(f"--replicas is 1 or 3, not {replicas}")
    if not config.seeds:
        raise BadInput("a crawl needs at least one seed URL")
    if config.mirror:
        raise BadInput("a mirror is made by one machine: `weft mirror`")
    config = with_seeds_logins(config)
    check(config)
    await enough_servers(client, replicas)
    deadline = time.time() + config.max_time_s if config.max_time_s is not None else 0.0
    own = msgspec.structs.replace(config, seeds=(), max_time_s=None)  # no node ends by itself before the others
    settings = Settings(secrets.token_hex(8), own, buckets, lease_s)
    if await is_one(client, crawl):
        raise BadInput(f"there is a crawl named {crawl} already; `weft cluster status {crawl}` shows it")
    log = NatsLog(client, crawl)
    await log.create(replicas)
    await _publish_seeds(log, Shares(buckets), config.seeds)
    table = Table(buckets, owners=[-1] * buckets, deadline=deadline, streams=await log.made_at())
    await create(client, crawl, settings, table, replicas)


async def _publish_seeds(log: Log, shares: Shares, seeds: Iterable[str], first: int = 0) -> None:
    """First the scope, which must know them, then the links."""
    urls = list(seeds)
    for data in scope_events(urls, log.most_bytes):
        await log.publish(0, SCOPE, data)
    by_bucket: dict[int, list[tuple[str, int]]] = {}
    for number, url in enumerate(urls, first):
        by_bucket.setdefault(shares.of_host(host_of(url)), []).append((url, number))
    messages = [
        (bucket, data)
        for bucket, own in by_bucket.items()
        for data in found_events(
            [url_of(Link(url, 0, Kind.SEED, seed=number), host_of(url)) for url, number in own], log.most_bytes
        )
    ]
    for begin in range(0, len(messages), PUBLISHED_AT_ONCE):
        part = messages[begin : begin + PUBLISHED_AT_ONCE]
        await asyncio.gather(*(log.publish(bucket % STREAMS, found(bucket), data) for bucket, data in part))


async def add_seeds(client: Client, crawl: str, seeds: Iterable[str]) -> int:
    """More seeds for a crawl that has not ended; how many there were."""
    urls = list(dict.fromkeys(seeds))
    shared = await _running(client, crawl)
    settings = await shared.settings()
    if not await sow(shared, NatsLog(client, crawl), Shares(settings.buckets), urls):
        raise BadInput(f"the crawl {crawl} has ended")
    return len(urls)


async def sow(shared: Shared, log: Log, shares: Shares, seeds: Iterable[str]) -> bool:
    """Publish seeds; False if the crawl has ended meanwhile.

    First the seeds, then their number in the table: who finds that all is done has read the table before, and writes
    the end only into the same one.
    """
    await _publish_seeds(log, shares, seeds)
    table = await shared.change_table(
        lambda table: table if table.finished else msgspec.structs.replace(table, seeds=table.seeds + 1)
    )
    return not table.finished


async def pause(client: Client, crawl: str, *, paused: bool) -> None:
    """Have no request begin, or begin again."""
    shared = await _running(client, crawl)
    await shared.change_table(lambda table: msgspec.structs.replace(table, paused=paused, stopped=False))


async def stop(client: Client, crawl: str) -> None:
    """Have all nodes end; `resume`, and nodes that are started again, go on."""
    shared = await _running(client, crawl)
    await shared.change_table(lambda table: msgspec.structs.replace(table, stopped=True))


async def drain(client: Client, crawl: str, node: str, *, back: bool = False) -> None:
    """Have a node give up its buckets; it stays, and gets them again when it is taken back."""
    shared = await _running(client, crawl)
    if await shared.member(node) is None:
        known = ", ".join(sorted(await shared.members())) or "none"
        raise BadInput(f"there is no node named {node}; there are: {known}")

    def drained(table: Table) -> Table:
        names = [name for name in table.drained if name != node] + ([] if back else [node])
        return msgspec.structs.replace(table, drained=sorted(names))

    await shared.change_table(drained)


async def remove_crawl(client: Client, crawl: str) -> None:
    """Forget a crawl: its log and its settings. The nodes' folders stay."""
    await open_shared(client, checked_name(crawl, "a crawl's name"))
    await NatsLog(client, crawl).remove()
    await remove(client, crawl)


async def status(client: Client, crawl: str) -> Status:
    """How a crawl stands."""
    shared = await open_shared(client, checked_name(crawl, "a crawl's name"))
    _, table = await shared.table()
    members = await shared.members()
    nodes = [_node_status(name, member) for name, (_, member) in sorted(members.items())]
    return Status(
        crawl=crawl,
        buckets=table.buckets,
        unowned=sum(owner == -1 for owner in table.owners),
        paused=table.paused,
        stopped=table.stopped,
        finished=table.finished,
        events=sum(await NatsLog(client, crawl).ends()),
        pages=sum(node.counts.pages for node in nodes),
        queued=sum(node.counts.queued for node in nodes if node.lives),
        nodes=nodes,
    )


def _node_status(name: str, member: Member) -> NodeStatus:
    return NodeStatus(
        name, member.address, member.weight, not member.is_over, member.leaves, member.buckets, member.is_idle,
        member.counts, member.sent_to,
    )  # fmt: skip


async def _running(client: Client, crawl: str) -> Shared:
    shared = await open_shared(client, checked_name(crawl, "a crawl's name"))
    _, table = await shared.table()
    if table.finished:
        raise BadInput(f"the crawl {crawl} has ended")
    return shared
