"""A crawl of several nodes in one process, for tests of what they leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import uvloop
from nats.aio.client import Client

from tests.pipeline.crawling import CRAWL_WITHIN_S, until
from weft.cluster import control
from weft.cluster.node import Node

from .claims import buckets_of_nodes
from .nats_servers import answered, client_of

LOOK_EVERY_S = 0.05
T = TypeVar("T")


def with_client(urls: list[str], work: Callable[[Client], Awaitable[T]]) -> T:
    """Have something done by a client of NATS, in a loop of its own."""

    async def connected() -> T:
        async with client_of(urls) as client:
            return await asyncio.wait_for(work(client), CRAWL_WITHIN_S)

    return uvloop.run(connected())


async def run_nodes(
    client: Client, crawl: str, folder: Path, names: str, *, leaving: str = "", at_pages: int = 0
) -> list[Path]:
    """Nodes with names of one letter, until the crawl ends; some leave when they have so many pages.

    All have buckets when the first page is asked for. Returns their folders.
    """
    await control.pause(client, crawl, paused=True)
    nodes = [await Node.open(client, crawl, folder / name, name=name) for name in names]
    running = [asyncio.ensure_future(node.run()) for node in nodes]

    def pages() -> int:
        return sum(
            0 if (shown := node.progress()) is None else shown.counters.pages for node in nodes if node.name in leaving
        )

    async def have_buckets() -> bool:
        return (await answered(lambda: buckets_of_nodes(client, crawl))).keys() >= set(names)

    try:
        while not (await have_buckets() or any(task.done() for task in running)):  # noqa: ASYNC110  # others tell nobody
            await asyncio.sleep(LOOK_EVERY_S)
        await control.pause(client, crawl, paused=False)
        if leaving:
            await until(lambda: pages() >= at_pages or any(task.done() for task in running))
            for node in nodes:
                if node.name in leaving:
                    node.stop()
        await asyncio.gather(*running)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
    return [node.path for node in nodes]
