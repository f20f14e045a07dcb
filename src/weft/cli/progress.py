"""The live view on a terminal: how much, how fast, and what limits it now."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from rich.console import Console
from rich.live import Live
from rich.table import Table

from weft.config import CrawlConfig
from weft.live.limiter import limiter_of
from weft.pipeline.progress import Progress
from weft.stats.verdict import counted

REFRESH_S = 0.5
# Rates are means over this many refreshes, so that they can be read.
WINDOW = 10


class Onlooked(Protocol):
    """Something that a person may look on: a crawl, a node of a cluster."""

    @property
    def config(self) -> CrawlConfig:
        """Its settings."""

    def progress(self) -> Progress | None:
        """How it stands; None when it does not run."""


@asynccontextmanager
async def show_progress(crawl: Onlooked, *, enabled: bool) -> AsyncIterator[None]:
    """Show a crawl's progress on standard error as long as the block runs."""
    if not enabled:
        yield
        return
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        async with beside(_refresh(crawl, live)):
            yield


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do this as long as the block runs."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _refresh(crawl: Onlooked, live: Live) -> None:
    history: list[tuple[int, int]] = []
    while True:
        await asyncio.sleep(REFRESH_S)
        if (progress := crawl.progress()) is not None:
            history = [*history[-WINDOW:], (progress.counters.pages, progress.counters.bytes)]
            if len(history) > 1:
                live.update(view(progress, crawl.config, history), refresh=True)


def view(progress: Progress, config: CrawlConfig, history: list[tuple[int, int]]) -> Table:
    """The figures as a table."""
    counters, hosts = progress.counters, progress.hosts
    span_s = (len(history) - 1) * REFRESH_S
    pages_per_s = (history[-1][0] - history[0][0]) / span_s
    megabytes_per_s = (history[-1][1] - history[0][1]) / span_s / 1e6
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("pages", f"[bold]{counters.pages:,}[/]  {pages_per_s:,.0f}/s")
    table.add_row("received", f"{counters.bytes / 1e6:,.1f} MB  {megabytes_per_s:,.1f} MB/s")
    table.add_row("queue", f"{counted(counters.queued, 'URL')}, {counters.seen:,} known")
    table.add_row(
        "hosts",
        f"{hosts.ready:,} ready, {hosts.busy:,} busy, {hosts.waiting:,} waiting, "
        f"{hosts.preparing:,} preparing, {hosts.left:,} left for later",
    )
    table.add_row(
        "under way",
        f"{counted(progress.visiting + progress.asking, 'request')} (at most {progress.slots:,}), "
        f"{counted(progress.parsing, 'page')} in {counted(progress.workers, 'parse worker')}",
    )
    limiter = limiter_of(progress, config)
    table.add_row("limited by", f"[bold]{limiter.name}[/]: {limiter.words}")
    return table
