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
from weft.cluster.events import Scope, found_events, from_bytes, scope_events, url_of
from weft.cluster.holdings import FEWEST_BUCKETS, MOST_BUCKETS, USUAL_BUCKETS, Shares
from weft.cluster.lease import LEASE_S, LONGEST_LEASE_S, SHORTEST_LEASE_S
from weft.cluster.log import SCOPE, STREAMS, Log, NatsLog, found
from weft.cluster.members import SPARE_S, Counts
from weft.cluster.node import checked_name
from weft.cluster.shared import Settings, Shared, create, is_one, open_shared, remove, silences_s
from weft.cluster.table import Table
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.pipeline.crawl import check
from weft.pipeline.seeds import with_seeds_logins
from weft.pipeline.topic import with_topic
from weft.types import Kind, Link
from weft.url import host_of, split_login

PUBLISHED_AT_ONCE: Final = 64


class NodeStatus(msgspec.Struct):
    """One node."""

    name: str
    address: str
    weight: int
    lives: bool
    leaves: bool
    is_drained: bool
    silent_s: float  # since its last renewal, by the clocks of this machine and of the servers
    is_silent: bool  # for so long that it may be dead
    buckets: int
    is_idle: bool
    counts: Counts
    sent_to: dict[str, int]


class Status(msgspec.Struct):
    """A crawl as it stands: what `--json` prints."""

    crawl: str
    buckets: int
    moving: int  # buckets that no living node has, or has read all of
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
    buckets: int = USUAL_BUCKETS,
    replicas: int = 3,
    lease_s: float = LEASE_S,
) -> None:
    """Begin a crawl: its settings and seeds live in the cluster."""
    checked_name(crawl, "a crawl's name")
    if config.topic_pages:
        raise BadInput("a cluster's crawl takes its topic from --topic or --topic-file, not from pages")
    config = with_topic(config)
    if buckets & (buckets - 1) or not FEWEST_BUCKETS <= buckets <= MOST_BUCKETS:
        raise BadInput(f"--buckets is a power of 2 from {FEWEST_BUCKETS} to {MOST_BUCKETS:,}, not {buckets}")
    if replicas not in (1, 3):
        raise BadInput(f"--replicas is 1 or 3, not {replicas}")
    if not SHORTEST_LEASE_S <= lease_s <= LONGEST_LEASE_S:
        raise BadInput(f"--lease is from {SHORTEST_LEASE_S:g}s to {LONGEST_LEASE_S / 3600:g}h, not {lease_s:g}")
    if not config.seeds:
        raise BadInput("a crawl needs at least one seed URL")
    if config.mirror:
        raise BadInput("a mirror is made by one machine: `weft mirror`")
    if config.archive == "none":
        raise BadInput("the nodes of a cluster read pages again from their archives: --archive is full or lean for it")
    if config.engines > 1:
        raise BadInput("a node of a cluster has one engine: several nodes on a machine use more of its cores")
    config = with_seeds_logins(config)
    check(config)
    await enough_servers(client, replicas)
    deadline = time.time() + config.max_time_s if config.max_time_s is not None else 0.0
    own = msgspec.structs.replace(config, seeds=(), max_time_s=None)  # no node ends by itself before the others
    settings = Settings(secrets.token_hex(8), own, buckets, lease_s)
    if await is_one(client, crawl):
        raise BadInput(f"there is a crawl named {crawl} already; `weft cluster status {crawl}` shows it")
    log = NatsLog(client, crawl)
    await log.remove()  # what is left of a start that was broken off: its seeds are not these
    await remove(client, crawl)
    await log.create(replicas)
    await _publish_seeds(log, Shares(buckets), config.seeds)
    table = Table(buckets, owners=[-1] * buckets, deadline=deadline, streams=await log.made_at())
    await create(client, crawl, settings, table, replicas)


async def _publish_seeds(log: Log, shares: Shares, seeds: Iterable[str], known: Iterable[str] = ()) -> None:
    """First the scope, which must know them, then the links. They are numbered as the scope has them."""
    urls = list(seeds)
    numbers = {url: number for number, url in enumerate(dict.fromkeys((*known, *urls)))}
    for data in scope_events(urls, log.most_bytes):
        await log.publish(0, SCOPE, data)
    by_bucket: dict[int, list[tuple[str, int]]] = {}
    for url in urls:
        by_bucket.setdefault(shares.of_host(host_of(url)), []).append((url, numbers[url]))
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
    if any(split_login(url)[1] for url in urls):
        raise BadInput("a seed that is added has no login: --auth of `weft cluster start` has them all")
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
    await _publish_seeds(log, shares, seeds, await _scope_of(log))
    table = await shared.change_table(
        lambda table: table if table.finished else msgspec.structs.replace(table, seeds=table.seeds + 1)
    )
    return not table.finished


async def _scope_of(log: Log) -> list[str]:
    """The seeds that the scope is made of, in their order."""
    end = (await log.ends())[0]
    events = [from_bytes(message.data) async for some in log.replay(0, [SCOPE], 0, end) for message in some]
    return [seed for event in events if isinstance(event, Scope) for seed in event.seeds]


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
    checked_name(node, "a node's name")
    shared = await _running(client, crawl)
    if await shared.member(node) is None:
        known = ", ".join(sorted(await shared.members())) or "none"
        raise BadInput(f"there is no node named {node}; there are: {known}")

    def drained(table: Table) -> Table:
        names = [name for name in table.drained if name != node] + ([] if back else [node])
        return msgspec.structs.replace(table, drained=sorted(names))

    await shared.change_table(drained)


async def remove_crawl(client: Client, crawl: str) -> None:
    """Forget a crawl that no node works on: its log and its settings. The nodes' folders stay."""
    log = NatsLog(client, checked_name(crawl, "a crawl's name"))
    if not await is_one(client, crawl) and await log.remove():  # a start that was broken off has left it
        await remove(client, crawl)
        return
    shared = await open_shared(client, crawl)
    working = [name for name, (_, member) in sorted((await shared.members()).items()) if not member.is_over]
    silent_s = await silences_s(client, crawl, working)
    longest_s = (await shared.settings()).lease_s + SPARE_S  # nodes that were all killed have nobody who says so
    if living := [name for name in working if silent_s[name] <= longest_s]:
        raise BadInput(f"nodes work on it: {', '.join(living)}; `weft cluster stop {crawl}` ends them")
    await log.remove()
    await remove(client, crawl)


async def status(client: Client, crawl: str) -> Status:
    """How a crawl stands."""
    shared = await open_shared(client, checked_name(crawl, "a crawl's name"))
    settings = await shared.settings()
    _, table = await shared.table()
    members = {name: member for name, (_, member) in sorted((await shared.members()).items())}
    silent_s = await silences_s(client, crawl, members)
    nodes = [
        NodeStatus(
            name=name,
            address=member.address,
            weight=member.weight,
            lives=not member.is_over,
            leaves=member.leaves,
            is_drained=name in table.drained,
            silent_s=silent_s[name],
            is_silent=not member.is_over and silent_s[name] > settings.lease_s + SPARE_S,
            buckets=member.buckets,
            is_idle=member.is_idle,
            counts=member.counts,
            sent_to=member.sent_to,
        )
        for name, member in members.items()
    ]
    return Status(
        crawl=crawl,
        buckets=table.buckets,
        moving=table.buckets - sum(node.buckets for node in nodes if node.lives),
        paused=table.paused,
        stopped=table.stopped,
        finished=table.finished,
        events=sum(await NatsLog(client, crawl).ends()),
        pages=sum(node.counts.pages for node in nodes),
        queued=sum(node.counts.queued for node in nodes if node.lives),
        nodes=nodes,
    )


async def _running(client: Client, crawl: str) -> Shared:
    shared = await open_shared(client, checked_name(crawl, "a crawl's name"))
    _, table = await shared.table()
    if table.finished:
        raise BadInput(f"the crawl {crawl} has ended")
    return shared
