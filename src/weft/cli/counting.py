"""A bar on standard error for work that goes page by page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from weft.cli.progress import REFRESH_S, beside

WINDOW = 20  # the rate is a mean over this many refreshes, so that it can be read

Count = Callable[[], tuple[int, int | None]]  # pages that are done, and of how many, once that is known


@asynccontextmanager
async def shown_progress(count: Count, *, enabled: bool) -> AsyncIterator[None]:
    """Show how far it is as long as the block runs."""
    if not enabled:
        yield
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]:,.0f} pages/s"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        async with beside(_refresh(count, progress)):
            yield


async def _refresh(count: Count, progress: Progress) -> None:
    bar = progress.add_task("", total=None, rate=0.0)
    history: list[tuple[float, int]] = []
    while True:
        pages, expected = count()
        history = [*history[-WINDOW:], (time.monotonic(), pages)]
        (began, before), (now, _) = history[0], history[-1]
        rate = (pages - before) / (now - began) if now > began else 0.0
        progress.update(bar, total=expected, completed=pages, rate=rate, refresh=True)
        await asyncio.sleep(REFRESH_S)
