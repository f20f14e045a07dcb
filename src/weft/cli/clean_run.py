"""Running `weft clean` in front of a person: progress, Ctrl-C, and the summary."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvloop
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from weft.api.clean import CleanSummary, clean_to_end
from weft.clean.bulk import Cleaning
from weft.cli.exits import Exit
from weft.cli.progress import REFRESH_S, beside
from weft.cli.signals import StopSignals
from weft.live.summary import KIB
from weft.stats.verdict import counted
from weft.workers.malloc import keep_memory

WINDOW = 20  # the rate is a mean over this many refreshes, so that it can be read
MAPPED_BYTES = 256 * KIB
KEPT_BYTES = 4 * KIB * KIB


def run_to_end(cleaning: Cleaning, *, shows_progress: bool, quiet: bool) -> tuple[CleanSummary | None, int]:
    """Clean; returns the figures and the exit code, of a run that was stopped at once only the latter."""
    keep_memory(KEPT_BYTES, MAPPED_BYTES, heaps=1)  # pages come and go in three threads
    signals = StopSignals(cleaning, quiet=quiet)

    async def run() -> CleanSummary:
        signals.attach()
        async with _shown(cleaning, enabled=shows_progress):
            return await clean_to_end(cleaning)

    try:
        summary = uvloop.run(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return None, signals.exit_code
    return summary, Exit.DONE if summary.exit == "done" else signals.exit_code


def print_summary(summary: CleanSummary, out: str) -> None:
    """The figures for a person, and one sentence."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("cleaned", f"{counted(summary.cleaned, 'page')}  ({summary.pages_per_s:,.1f}/s)")
    if summary.set_aside:
        table.add_row("set aside", f"{counted(summary.set_aside, 'page')}, listed with the reason")
    table.add_row("read", f"{summary.bytes / 1e6:,.1f} MB")
    table.add_row("written", f"{summary.written_chars / 1e6:,.1f} million characters")
    table.add_row("time", f"{summary.seconds:,.1f} s, CPU {summary.cpu_s:,.1f} s")
    console = Console()
    console.print(table)
    is_done = summary.exit == "done"
    last_word = f"Done. The pages are in {out}." if is_done else "Stopped. The same command goes on."
    console.print(last_word, soft_wrap=True, markup=False)


@asynccontextmanager
async def _shown(cleaning: Cleaning, *, enabled: bool) -> AsyncIterator[None]:
    """Show the progress on standard error as long as the block runs."""
    if not enabled:
        yield
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[rate]:,.0f} pages/s"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        async with beside(_refresh(cleaning, progress)):
            yield


async def _refresh(cleaning: Cleaning, progress: Progress) -> None:
    bar = progress.add_task("", total=None, rate=0.0)
    history: list[tuple[float, int]] = []
    while True:
        pages = cleaning.totals.pages
        history = [*history[-WINDOW:], (time.monotonic(), pages)]
        (began, before), (now, _) = history[0], history[-1]
        rate = (pages - before) / (now - began) if now > began else 0.0
        progress.update(bar, total=cleaning.expected, completed=pages, rate=rate, refresh=True)
        await asyncio.sleep(REFRESH_S)
