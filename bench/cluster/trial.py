# mypy: disable-error-code="import-untyped"
"""A crawl of real nodes, each a process as a user starts it, on a synthetic web; what they say, and what they take."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import psutil
from nats.aio.client import Client

from bench.measure import die_with_parent, memory_bytes
from bench.tools import WEFT
from weft.cluster import control
from weft.cluster.connection import connect
from weft.cluster.control import NodeStatus, Status
from weft.cluster.servers import Servers
from weft.config import CrawlConfig

T = TypeVar("T")
LOOK_EVERY_S = 0.5
WITHIN_S = 1800.0


class Trial:
    """Nodes begin with all buckets read, so that what they do is by their weights from the first page on."""

    def __init__(self, name: str, servers: Servers, scratch: Path, buckets: int) -> None:
        self.name = name
        self.servers = servers
        self.buckets = buckets
        self._scratch = scratch
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, weights: Mapping[str, int]) -> None:
        """Nodes with these weights."""
        self.pause(paused=True)
        for name, weight in weights.items():
            self._launch(name, weight)
        self.until(
            lambda status: self.is_settled(status) and sum(node.buckets > 0 for node in status.nodes) == len(weights)
        )
        self.pause(paused=False)

    def join(self, name: str, weight: int) -> Status:
        """One more node while the crawl runs; returns when it has its buckets."""
        self._launch(name, weight)
        return self.until(lambda status: self.is_settled(status) and self._has_buckets(status, name))

    def leave(self, name: str) -> Status:
        """A node hands its buckets to the others and ends, as by SIGTERM."""
        self.running[name].terminate()
        self.running[name].wait(WITHIN_S)
        return self.until(lambda status: self.is_settled(status) and not self._has_buckets(status, name))

    def folder(self, name: str) -> Path:
        """Where a node keeps its part of the crawl."""
        return self._scratch / f"{self.name}-{name}"

    def _launch(self, name: str, weight: int) -> None:
        flags = ["--weight", str(weight), "-o", str(self.folder(name)), "--nats", ",".join(self.servers.urls)]
        self.running[name] = subprocess.Popen(
            [*WEFT, "node", self.name, "--name", name.lower(), *flags, "--quiet"],
            start_new_session=True,
            preexec_fn=die_with_parent,
        )

    @staticmethod
    def _has_buckets(status: Status, name: str) -> bool:
        return any(node.name == name.lower() and node.lives and node.buckets for node in status.nodes)

    def pause(self, *, paused: bool) -> None:
        """Or go on."""
        self._ask(lambda client: control.pause(client, self.name, paused=paused))

    def status(self) -> Status:
        """What the nodes say."""
        return self._ask(lambda client: control.status(client, self.name))

    def until(self, holds: Callable[[Status], bool]) -> Status:
        """Look now and then until it holds."""
        give_up_at = time.monotonic() + WITHIN_S
        while not holds(status := self.status()):
            assert time.monotonic() < give_up_at, "waited in vain"
            time.sleep(LOOK_EVERY_S)
        return status

    def is_settled(self, status: Status) -> bool:
        """Whether living nodes have read all buckets."""
        return sum(node.buckets for node in status.nodes if node.lives) == self.buckets

    def kill(self, name: str) -> None:
        """With its workers."""
        os.killpg(self.running[name].pid, signal.SIGKILL)
        self.running[name].wait()

    def memory_bytes(self, name: str) -> int:
        """Of a node and its workers."""
        processes = [psutil.Process(self.running[name].pid)]
        processes += processes[0].children(recursive=True)
        return sum(memory_bytes(process.pid) for process in processes)

    def _ask(self, work: Callable[[Client], Awaitable[T]]) -> T:
        async def connected() -> T:
            client = await connect(self.servers.urls, name="bench")
            try:
                return await work(client)
            finally:
                await client.close()

        return asyncio.run(connected())


def node_of(status: Status, name: str) -> NodeStatus:
    """One node's part of a status."""
    return next(node for node in status.nodes if node.name == name.lower())


@contextmanager
def trial(
    name: str, servers: Servers, scratch: Path, config: CrawlConfig, *, buckets: int, lease_s: float = 30.0
) -> Iterator[Trial]:
    """A crawl that has begun; nodes are to be started, and end with the block."""
    one = Trial(name, servers, scratch, buckets)
    settings = {"buckets": buckets, "replicas": 1}
    one._ask(lambda client: control.start(client, name, config, lease_s=lease_s, **settings))
    try:
        yield one
    finally:
        for node, process in one.running.items():
            if process.poll() is None:
                one.kill(node)
