"""A crawl of several nodes in one process, for tests of what they leave behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import uvloop
from nats.aio.client import Client

from tests.pipeline.crawling import CRAWL_WITHIN_S, until
from weft.cluster.connection import connect
from weft.cluster.node import Node

T = TypeVar("T")


def with_client(urls: list[str], work: Callable[[Client], Awaitable[T]]) -> T:
    """Have something done by a client of NATS, in a loop of its own."""

    async def connected() -> T:
        client = await connect(urls, name="test")
        try:
            return await asyncio.wait_for(work(client), CRAWL_WITHIN_S)
        finally:
            await client.close()

    return uvloop.run(connected())


async def run_nodes(
    client: Client, crawl: str, folder: Path, names: str, *, leaving: str = "", at_pages: int = 0
) -> list[Path]:
    """Nodes with names of one letter, until the crawl ends; some leave when they have so many pages.

    Their folders.
    """
    nodes = [await Node.open(client, crawl, folder / name, name=name) for name in names]
    running = [asyncio.ensure_future(node.run()) for node in nodes]

    def pages() -> int:
        return sum(
            0 if (shown := node.progress()) is None else shown.counters.pages for node in nodes if node.name in leaving
        )

    try:
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
