"""Running a crawl in front of a person: progress, and the summary."""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Coroutine, Iterable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import uvloop

from weft.api.log_records import end_figures, end_words, log_begin, seeds_in_words
from weft.api.patterns import doubtful_hosts, doubtful_patterns, vain_patterns
from weft.api.summary import crawl_to_end
from weft.api.trouble import SeedTroubles
from weft.api.wording import last_word, way_on, when_the_disk_is_full
from weft.cli.exits import Exit
from weft.cli.log import say, the_log
from weft.cli.log_lines import keep_saying, say_end
from weft.cli.progress import beside, show_progress
from weft.cli.shown import size
from weft.cli.signals import StopSignals
from weft.errors import DiskFull
from weft.folder.reading import CrawlReader
from weft.live.summary import Summary
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending
from weft.stats.verdict import counted
from weft.workers.garbage import leave_garbage_alone
from weft.workers.malloc import return_blocks
from weft.workers.nursery import open_nursery

EXIT_OF = {
    Ending.DONE: Exit.DONE,
    Ending.LIMIT: Exit.LIMIT,
    Ending.INTERRUPTED: Exit.INTERRUPTED,  # or another signal's: `signals` knows
    Ending.SEEDS_FAILED: Exit.SEEDS_FAILED,
}


class Run(msgspec.Struct):
    """How a run ended."""

    summary: Summary
    ending: Ending
    exit_code: int
    signalled: Exit | None = None  # the code of a signal that came, perhaps too late to end it


def run_crawl(crawl: Crawl, *, as_json: bool = False, quiet: bool = False) -> int:
    """Run a crawl to its end and print what came of it; returns the exit code."""
    run = run_to_end(crawl, way_on(crawl), quiet=quiet)
    if isinstance(run, int):
        return run
    words = last_word(crawl, run.ending)
    if as_json:
        print(msgspec.json.encode(run.summary).decode())
    elif not quiet:
        print_summary(crawl, run.summary, words)
    tell_end(run, words, quiet=quiet)
    return run.exit_code


def tell_end(run: Run, last_word: str, *, quiet: bool) -> None:
    """How it ended, on standard error: in the log, or where nothing else is printed and it is not done."""
    if the_log() is not None:
        say_end(run.exit_code, end_words(run.summary, last_word), end_figures(run.summary))
    elif quiet and run.ending is not Ending.DONE:
        print(f"weft: {last_word}", file=sys.stderr)


def run_to_end(
    crawl: Crawl, goes_on: str, *, quiet: bool = False, companion: Coroutine[Any, Any, None] | None = None
) -> Run | int:
    """Run a crawl and write its report; of one that was stopped at once only the exit code is known.

    `goes_on` says by which command it goes on; `companion` runs beside it.
    """
    leave_garbage_alone()
    return_blocks()
    signals = StopSignals(quiet=quiet)
    if not quiet:
        crawl.on_failure = SeedTroubles(crawl.config, partial(say, subject="seeds")).hear
        _say(doubtful_patterns(crawl.config))
        _say(doubtful_hosts(crawl.config))
    if the_log() is not None:
        log_begin(seeds_in_words(crawl.config.seeds), crawl.folder.path)
    try:
        summary = uvloop.run(_run(crawl, signals, companion, quiet=quiet))
    except (KeyboardInterrupt, asyncio.CancelledError):
        stopped = f"stopped at once; what was finished is kept, and {goes_on}"
        if the_log() is not None:
            say_end(signals.exit_code, stopped)
        elif not quiet:
            say(stopped)
        return signals.exit_code
    except DiskFull as error:
        raise when_the_disk_is_full(error, crawl, goes_on) from error
    ending = Ending(summary.exit)
    if not quiet and ending is Ending.DONE and (crawl.config.include or crawl.config.exclude):
        with CrawlReader(crawl.folder.path) as reader:
            _say(vain_patterns(crawl.config, crawl.counters.refused, reader.rows()))
    exit_code = signals.exit_code if ending is Ending.INTERRUPTED else EXIT_OF[ending]
    return Run(summary, ending, exit_code, signals.received)


def _say(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        say(sentence)


def begin_process(*modules: str) -> None:
    """Stands first in a command that crawls: what has to be there before all else.

    The modules are what workers run, besides parse workers.
    """
    # Each connection takes a file, and each large body another: take what the system grants without being root.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    open_nursery("weft.pipeline.worker", *modules)


def looked_on(folder: Path, *, quiet: bool) -> AbstractAsyncContextManager[None]:
    """How it goes is told as long as the block runs: on the terminal, or in the log."""
    if (log := the_log()) is None:
        return show_progress(folder, enabled=sys.stderr.isatty() and not quiet)
    return beside(keep_saying(folder, log.every_s)) if log.every_s else nullcontext()


async def _run(
    crawl: Crawl, signals: StopSignals, companion: Coroutine[Any, Any, None] | None, *, quiet: bool
) -> Summary:
    signals.attach(crawl)
    async with looked_on(crawl.folder.path, quiet=quiet), beside(companion) if companion else nullcontext():
        return await crawl_to_end(crawl)


def print_summary(crawl: Crawl, summary: Summary, last_word: str) -> None:
    """The figures for a person, and one sentence."""
    has_functions = bool(crawl.config.extractors)
    print_figures(summary, last_word, has_items=has_functions)
    workers = "Your functions, or the parse workers," if has_functions else "The parse workers"
    for who, log in ((workers, crawl.folder.worker_log), ("Your hooks", crawl.folder.hook_log)):
        if log.exists() and log.stat().st_size:
            from rich.console import Console

            Console().print(f"{who} had something to say: {log}", soft_wrap=True)


def print_figures(summary: Summary, last_word: str, *, has_items: bool = False) -> None:
    """Likewise, of something that may be a part of a crawl."""
    from rich.console import Console  # at the end only: the first request does not wait for it
    from rich.table import Table

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("pages", f"{summary.pages:,}  ({summary.pages_per_s:,.1f}/s)")
    table.add_row("requests", f"{summary.requests:,}, tried again: {summary.retries:,}")
    table.add_row("received", size(summary.bytes))
    table.add_row("answers", _counts(summary.statuses))
    if has_items or summary.items or summary.calls_failed:
        failed = f"; {counted(summary.calls_failed, 'call')} failed" if summary.calls_failed else ""
        table.add_row("items", f"{summary.items:,}{failed}")
    for name, counts in (("failed", summary.failed), ("refused links", summary.refused)):
        if counts:
            table.add_row(name, _counts(counts))
    if summary.parked:
        table.add_row("left for later", counted(summary.parked, "site"))
    if summary.queued:
        table.add_row("still queued", counted(summary.queued, "URL"))
    table.add_row("time", f"{summary.seconds:,.1f} s, CPU {summary.cpu_s:,.1f} s")
    console = Console()
    console.print(table)
    console.print(last_word, soft_wrap=True, markup=False)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} × {count:,}" for name, count in counts.items()) or "none"
