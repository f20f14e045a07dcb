"""`weft extract`: a function of the user's over the archive of a crawl."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
import uvloop
from rich.console import Console
from rich.table import Table

from weft.api.extract import EXTRACT_SETTINGS, ExtractSummary, extract_to_end, open_extracting
from weft.cli.counting import shown_progress
from weft.cli.exits import Exit
from weft.cli.options import takes
from weft.cli.signals import StopSignals
from weft.cli.sources import fields_of, read_flags
from weft.errors import BadInput
from weft.extract.engine import Extracting
from weft.stats.verdict import counted
from weft.workers.nursery import open_nursery


@takes(EXTRACT_SETTINGS, has_no=False)
def extract(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="A crawl folder, or a mirror; or those of nodes of one cluster's crawl. It may still run.",
        ),
    ],
    function: Annotated[
        str, typer.Argument(metavar="MODULE:NAME", help="Your function, or a weft.Site; also FILE.py:NAME.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where the items go: .jsonl, .csv, .parquet or .sqlite. "
            "[default: DIR/extract.jsonl; of a mirror DIR/.weft/extract.jsonl]",
        ),
    ] = None,
    to: Annotated[str | None, typer.Option(hidden=True)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    **flags: Any,
) -> None:
    """Call your function with each page of a crawl's archive, on all cores: no server is asked again.

    \b
    weft extract crawl-example.org shop:products -o products.csv
    weft extract crawl-example.org shop.py:site -o products.sqlite --match '/shop/*'

    What it returns or yields are items, as with `weft crawl --extract`; requests are only counted. After a stop of any
    kind the same command goes on, and each item is there once. docs/extract.md tells more.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 4 every call failed; 5 disk full; 6 the folder cannot be used;
    129, 130, 143 stopped by a signal.
    """
    open_nursery("weft.extract.worker")
    if to is not None:
        raise BadInput(f"--to names a form of pages; the file of items is -o {to}")
    options: Any = fields_of(read_flags(flags, EXTRACT_SETTINGS), EXTRACT_SETTINGS)
    extracting = open_extracting(folders, function, output, **options)
    summary, exit_code = _run_to_end(extracting, quiet=quiet)
    if summary is not None:
        if as_json:
            print(msgspec.json.encode(summary).decode())
        elif not quiet:
            _print_summary(summary, extracting)
    raise typer.Exit(exit_code)


def _run_to_end(extracting: Extracting, *, quiet: bool) -> tuple[ExtractSummary | None, int]:
    """The figures and the exit code; of a run that was stopped at once only the latter."""
    signals = StopSignals(quiet=quiet)

    async def run() -> ExtractSummary:
        signals.attach(extracting)
        async with shown_progress(
            lambda: (extracting.totals.pages, extracting.expected), enabled=sys.stderr.isatty() and not quiet
        ):
            return await extract_to_end(extracting)

    try:
        summary = uvloop.run(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return None, signals.exit_code
    if summary.exit != "done":
        return summary, signals.exit_code
    return summary, Exit.SEEDS_FAILED if extracting.is_failure else Exit.DONE


def _print_summary(summary: ExtractSummary, extracting: Extracting) -> None:
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_row("pages", f"{summary.pages:,}  ({summary.pages_per_s:,.1f}/s)")
    table.add_row("items", f"{summary.items:,}")
    if summary.failed:
        table.add_row("failed", counted(summary.failed, "call"))
    if summary.unreadable:
        table.add_row("unreadable", counted(summary.unreadable, "page"))
    if summary.requests:
        table.add_row("not followed", counted(summary.requests, "request"))
    table.add_row("time", f"{summary.seconds:,.1f} s, CPU {summary.cpu_s:,.1f} s")
    console = Console()
    console.print(table)
    console.print(_last_word(summary, extracting), soft_wrap=True, markup=False)


def _last_word(summary: ExtractSummary, extracting: Extracting) -> str:
    if summary.exit != "done":
        return "Stopped. The same command goes on."
    failed = f" {extracting.failed_path} tells what failed." if summary.failed or summary.unreadable else ""
    if not extracting.is_written:
        return f"Every call failed, so {extracting.out} is left as it was.{failed}"
    if extracting.is_failure:
        return f"Every call failed: {extracting.out} is empty.{failed}"
    return f"Done. The items are in {extracting.out}.{failed}"
