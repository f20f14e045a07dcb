"""`weft export`: a crawl in the forms that other tools read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)

from weft.api.export import EXPORT_SETTINGS, export_counted
from weft.cli.options import takes
from weft.cli.printing import printed
from weft.cli.sources import fields_of, read_flags
from weft.export import FORMATS
from weft.export.tally import Tally

STDOUT = Path("-")


@takes(EXPORT_SETTINGS, has_no=False)
def export(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR",
            help="A crawl folder, or a mirror; or those of nodes of one cluster's crawl. It may still run.",
        ),
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="FORMAT", autocompletion=lambda: list(FORMATS), help=f"The format: {', '.join(FORMATS)}."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; - for standard output (urls, jsonl, refused, items, graph, links), a folder for a "
            "copy of each file (warc), or for all of it (huggingface). "
            "[default: DIR/export.ENDING; of a mirror DIR/.weft/export.ENDING]",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    **flags: Any,
) -> None:
    """Write a crawl's pages, index, archive or links in a form that other tools read.

    urls: one a line. jsonl: an object a page. refused: an object a URL that was left out, with the reason. parquet: the
    columns of Common Crawl's index. huggingface: a folder with Parquet files and a data card, for `datasets`. wacz: the
    archive with its index in one file, to replay. warc: all records in one file. graph: the links between URLs, if the
    crawl kept them (--graph); FILE ends in .tsv, .parquet or, for networkx and the like, .txt. links: each link with
    its kind, rel, anchor text and the status of its target; FILE ends in .jsonl, .csv or .parquet; of a crawl without
    --links all pages are read again. items: what your functions made of the pages (--extract); FILE ends in .jsonl,
    .csv, .parquet or .sqlite. docs/export.md tells what is in each.

    Exit codes: 0 done; 2 bad input; 5 disk full; 6 the folder cannot be used.
    """
    options: Any = fields_of(read_flags(flags, EXPORT_SETTINGS), EXPORT_SETTINGS)
    tally = Tally()
    is_printed = output == STDOUT
    with (
        printed() if is_printed else nullcontext(output) as out,
        _progress(to, enabled=sys.stderr.isatty() and not quiet) as progress,
    ):
        path = export_counted(folders, to, out, tally, progress=progress, **options)
    if not quiet and path is not None:
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            f"Written to {tally.files(path)}" + (f": {told}" if (told := tally.sentence()) else ""), markup=False
        )


@contextmanager
def _progress(to: str, *, enabled: bool) -> Iterator[Callable[[int, int | None], None] | None]:
    """Show on standard error how far the export is: in bytes of the archive, or in rows."""
    if not enabled:
        yield None
        return
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.completed:,.0f} rows")]
    if to in FORMATS and FORMATS[to].is_archive:
        columns = [BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=None)
        yield lambda amount, total: shown.update(task, advance=amount, total=total)
