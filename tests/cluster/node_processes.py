"""A crawl of several nodes, each a process of its own, and what judges tell of it.

The server's request log says what was asked for, and from which address: each node connects from one of its own. The
cluster's log says what counts as done.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from nats.aio.client import Client

from tests.faults.crawls import Run, wait_for_writes
from tests.pipeline.crawling import quick_config
from tests.pipeline.engine_process import await_others
from weft.cluster import control
from weft.cluster.control import NodeStatus, Status
from weft.cluster.events import Done, Entries, from_bytes
from weft.cluster.log import NatsLog
from weft.folder.reading import CrawlReader
from weft.simweb import Request, RequestLog, SimProcess

from .claims import buckets_of_nodes
from .nats_servers import answered, client_of

T = TypeVar("T")
LEASE_S = 8.0  # where one is to end
LONG_LEASE_S = 20.0  # where none is to end, on a busy machine either
BUCKETS = 64
WITHIN_S = 120.0
LOOK_EVERY_S = 0.25


class NodeProcess(Run):
    """`weft node`."""

    def __init__(
        self,
        crawl: str,
        nats: str,
        folder: Path,
        name: str,
        bind: str,
        crash_at: str,
        flags: Sequence[str] = (),
        preexec: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.bind = bind
        self.folder = folder
        self.began_at = time.monotonic()
        all_flags = ("--nats", nats, "-o", str(folder), "--name", name, "--bind", bind, "--quiet", *flags)
        super().__init__("node", crawl, *all_flags, crash_at=crash_at, preexec=preexec)

    def signal_all(self, number: signal.Signals) -> None:
        """To the node and its workers."""
        os.killpg(self.pid, number)

    def await_writes(self, writes: int) -> None:
        """Until so many pages have been written, roughly."""
        await_others((self.folder / "archive").exists, "the node's folder", WITHIN_S)
        assert wait_for_writes(self.folder, self, writes), self.errors

    def await_kill(self) -> None:
        """It kills itself, at a crash point."""
        assert self.wait() == -signal.SIGKILL, self.errors

    def interrupt(self) -> None:
        """As Ctrl-C does, once."""
        os.kill(self.pid, signal.SIGINT)


class ClusterCrawl:
    """One crawl in the cluster and its nodes, of which none outlives the block."""

    def __init__(self, name: str, nats: list[str], path: Path) -> None:
        self.name = name
        self._nats = nats
        self._path = path
        self._binds: dict[str, str] = {}
        self.nodes: list[NodeProcess] = []

    def start(
        self, name: str, *flags: str, crash_at: str = "", nats: str = "", preexec: Callable[[], None] | None = None
    ) -> NodeProcess:
        """A node; one that was there before has its folder and its address again."""
        bind = self._binds.setdefault(name, f"127.3.0.{len(self._binds) + 1}")
        urls = nats or ",".join(self._nats)
        node = NodeProcess(self.name, urls, self._path / name, name, bind, crash_at, flags, preexec)
        self.nodes.append(node)
        return node

    def start_together(self, *names: str, crash_at: Mapping[str, str] | None = None) -> list[NodeProcess]:
        """Nodes that all have buckets when the first page is asked for, or have killed themselves before."""
        nodes = self.start_paused(*names, crash_at=crash_at)
        self.go_on()
        return nodes

    def start_paused(self, *names: str, crash_at: Mapping[str, str] | None = None) -> list[NodeProcess]:
        """The same, and no page is asked for yet."""
        points = crash_at or {}
        self.pause()
        nodes = [self.start(name, crash_at=points.get(name, "")) for name in names]

        def are_ready() -> bool:
            owned = self.ask(lambda client: answered(lambda: buckets_of_nodes(client, self.name)))
            dead = {node.name for node in nodes if node.name in points and node.is_over()}
            return owned.keys() | dead >= set(names) and (bool(dead) or owned.total() == BUCKETS)

        self._await(are_ready, "each node's buckets", WITHIN_S)
        return nodes

    def pause(self) -> None:
        """Have no request begin."""
        self.ask(lambda client: control.pause(client, self.name, paused=True))

    def go_on(self) -> None:
        self.ask(lambda client: control.pause(client, self.name, paused=False))

    def name_of(self, request: Request) -> str:
        """Which node has asked."""
        (name,) = [name for name, bind in self._binds.items() if bind == request.client]
        return name

    def ask(self, work: Callable[[Client], Awaitable[T]]) -> T:
        """Have something done by a client of NATS."""

        async def with_client() -> T:
            async with client_of(self._nats) as client:
                return await work(client)

        return asyncio.run(with_client())

    def status(self) -> Status:
        return self.ask(lambda client: answered(lambda: control.status(client, self.name)))

    def node_status(self, name: str) -> NodeStatus | None:
        return next((one for one in self.status().nodes if one.name == name), None)

    def await_status(self, holds: Callable[[Status], bool], what: str, within_s: float = WITHIN_S) -> None:
        """Wait until nodes have come so far, as they say themselves."""
        self._await(lambda: holds(self.status()), what, within_s)

    def await_finished(self, within_s: float) -> None:
        """Until the crawl is over, which may last."""
        self.await_status(lambda status: bool(status.finished), "the end", within_s)

    def await_done(self, pages: int) -> None:
        """Until so many pages count as done in the cluster's log."""
        self._await(lambda: len(self.done()) >= pages, f"{pages} pages that all nodes were told of", WITHIN_S)

    def _await(self, holds: Callable[[], bool], what: str, within_s: float) -> None:
        """As `await_others`, but seldom: to look is to connect, and takes some of the time that the nodes have."""
        give_up_at = time.monotonic() + within_s
        while not holds():
            assert time.monotonic() < give_up_at, f"waited in vain: {what}"
            time.sleep(LOOK_EVERY_S)

    def await_taken_over(self, gone: str, by: str) -> None:
        """Until a node counts as dead, and another has all buckets, or has done all with them."""
        self.await_status(
            lambda status: (
                bool(status.finished)
                or (
                    any(one.name == gone and not one.lives for one in status.nodes)
                    and any(one.name == by and one.buckets == BUCKETS for one in status.nodes)
                )
            ),
            f"{by} takes over from {gone}",
        )

    def await_pages(self, pages: int, *, of: str = "") -> None:
        """Until a node, or all of them, have fetched so many."""
        self.await_status(
            lambda status: sum(one.counts.pages for one in status.nodes if of in ("", one.name)) >= pages,
            f"{pages} pages of {of or 'all'}",
        )

    def await_end(self, *nodes: NodeProcess, code: int = 0) -> None:
        """All of these end, with that exit code, and say nothing."""
        ends = [(node.name, node.wait(), node.errors) for node in nodes]
        assert ends == [(node.name, code, "") for node in nodes], ends

    def done(self) -> Counter[str]:
        """How often each page counts as done in the cluster's log; what was told twice counts once."""

        async def read(client: Client) -> Counter[str]:
            log = NatsLog(client, self.name)
            found: set[tuple[str, str, int]] = set()
            for stream, end in enumerate(await log.ends()):
                async for messages in log.replay(stream, ["d.*"], 0, end):
                    for message in messages:
                        event = from_bytes(message.data)
                        if isinstance(event, Entries):
                            done = [one for one in event.entries if isinstance(one, Done)]
                            found.update((one.page.url, one.file, one.page.offset) for one in done)
            return Counter(url for url, _, _ in found)

        return self.ask(read)

    def consumers(self) -> int:
        """The most that one of the crawl's streams has now."""

        async def count(client: Client) -> int:
            infos = [one for one in await client.jetstream().streams_info() if self.name in (one.config.name or "")]
            return max(one.state.consumer_count for one in infos)

        return self.ask(count)

    def committed(self, node: NodeProcess) -> set[str]:
        """The pages that a node that has ended had finished in its own rows."""
        with CrawlReader(node.folder) as reader:
            return {row.url for row in reader.rows()}

    def kill_all(self) -> None:
        for node in self.nodes:
            node.kill()


_numbers = iter(range(1, 1_000_000))


@contextmanager
def cluster_crawl(
    nats: list[str], sim: SimProcess, path: Path, *, lease_s: float = LONG_LEASE_S, replicas: int = 1, **changes: Any
) -> Iterator[ClusterCrawl]:
    """A crawl of a whole synthetic web that has begun; nodes are to be started."""
    crawl = ClusterCrawl(f"crawl-{next(_numbers)}", nats, path)
    config = quick_config(sim, **changes)
    settings: Any = {"buckets": BUCKETS, "replicas": replicas, "lease_s": lease_s}
    crawl.ask(lambda client: control.start(client, crawl.name, config, **settings))
    try:
        yield crawl
    finally:
        crawl.kill_all()


def whole(log: RequestLog, port: int) -> dict[str, list[Request]]:
    """The requests for each page that were answered in full."""
    answered = {url: [one for one in asked if one.whole] for url, asked in log.requests_by_url(port).items()}
    return {url: asked for url, asked in answered.items() if asked}


def twice(log: RequestLog, port: int) -> dict[str, list[Request]]:
    """The pages that were answered in full more than once."""
    return {url: asked for url, asked in whole(log, port).items() if len(asked) > 1}
