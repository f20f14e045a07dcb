"""Running `weft clean` in front of a person: progress, Ctrl-C, and the summary."""

from __future__ import annotations

import asyncio

import uvloop
from rich.console import Console
from rich.table import Table

from weft.api.clean import CleanSummary, clean_to_end
from weft.clean.bulk import Cleaning
from weft.cli.counting import shown_progress
from weft.cli.exits import Exit
from weft.cli.shown import size
from weft.cli.signals import StopSignals
from weft.live.summary import KIB
from weft.stats.verdict import counted
from weft.workers.malloc import keep_memory

MAPPED_BYTES = 256 * KIB
KEPT_BYTES = 4 * KIB * KIB


def run_to_end(cleaning: Cleaning, *, shows_progress: bool, quiet: bool) -> tuple[CleanSummary | None, int]:
    """Clean; returns the figures and the exit code, of a run that was stopped at once only the latter."""
    keep_memory(KEPT_BYTES, MAPPED_BYTES, heaps=1)  # pages come and go in three threads
    signals = StopSignals(quiet=quiet)

    async def run() -> CleanSummary:
        signals.attach(cleaning)
        async with shown_progress(lambda: (cleaning.totals.pages, cleaning.expected), enabled=shows_progress):
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
    table.add_row("read", size(summary.bytes))
    table.add_row("written", counted(summary.written_chars, "character"))
    table.add_row("time", f"{summary.seconds:,.1f} s, CPU {summary.cpu_s:,.1f} s")
    console = Console()
    console.print(table)
    is_done = summary.exit == "done"
    last_word = f"Done. The pages are in {out}." if is_done else "Stopped. The same command goes on."
    console.print(last_word, soft_wrap=True, markup=False)
