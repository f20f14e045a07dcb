"""The live view of a crawl on the terminal in which it runs: how much, how fast, and what limits it now."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.live.status import State
from weft.live.status_file import load_status

if TYPE_CHECKING:
    from rich.live import Live

REFRESH_S = 1.0  # as the status is written


@asynccontextmanager
async def show_progress(folder: Path, *, enabled: bool) -> AsyncIterator[None]:
    """Show how the crawl stands that this process runs in a folder, on standard error, as long as the block runs."""
    if not enabled:
        yield
        return
    from rich.console import Console  # for who looks on
    from rich.live import Live

    # Live shows nothing on a dumb terminal.
    with Live(console=Console(stderr=True), auto_refresh=False, transient=True, vertical_overflow="crop") as live:
        async with beside(_refresh(folder, live)):
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


async def _refresh(folder: Path, live: Live) -> None:
    from rich.console import Group

    from weft.cli.live_view import MOST_CURVE_CHARS, head_lines

    speeds: deque[float] = deque(maxlen=MOST_CURVE_CHARS)
    console = live.console
    while True:
        await asyncio.sleep(REFRESH_S)
        status = load_status(folder)
        if status is None or status.pid != os.getpid() or status.state is State.ENDED:  # of an earlier run
            continue
        speeds.append(status.rates.pages)
        lines = head_lines(status, list(speeds), console.width, console.encoding)
        live.update(Group(*lines[: console.height - 1]), refresh=True)
