"""`weft export`: a crawl in the forms that other tools read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

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

from weft.cli.exits import Exit
from weft.errors import BadInput
from weft.export import FORMATS, Content, Format, Selection, Source, format_named
from weft.export.format import Advance
from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader
from weft.whole_file import appears_whole

STDOUT = Path("-")


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder, or a mirror. It may still run.")],
    to: Annotated[
        str,
        typer.Option(
            "--to", metavar="FORM", autocompletion=lambda: list(FORMATS), help=f"The form: {', '.join(FORMATS)}."
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write; - for standard output (urls, jsonl, refused), a folder for a copy of each file "
            "(warc). [default: DIR/export.ENDING; of a mirror DIR/.weft/export.ENDING]",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Every visited URL, not only 2xx pages (urls, jsonl).")] = False,
    match: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Only URLs that match; as --include of crawl. [repeatable]"),
    ] = None,
    mime: Annotated[
        list[str] | None, typer.Option(metavar="TYPE", help="Only this media type: text/html, image/*. [repeatable]")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option(metavar="STATUS", help="Only this status: 404, 3xx. [repeatable]")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="With the text of each page (jsonl, parquet, wacz).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="With each page as Markdown (jsonl).")] = False,
    cleaned: Annotated[
        bool, typer.Option("--cleaned", help="With what `crawl --clean` kept of each page (jsonl).")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="With the HTML of each page, decoded (jsonl).")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Write a crawl's pages, its index or its archive in a form that other tools read.

    urls: one a line. jsonl: an object a page. refused: an object a URL that was left out, with the reason. parquet: the
    columns of Common Crawl's index. wacz: the archive with its index in one file, to replay. warc: all records in one
    file. docs/export.md tells what is in each.

    Exit codes: 0 done; 2 bad input; 5 disk full; 6 the folder cannot be used.
    """
    form = format_named(to)
    contents = {"text": text, "markdown": markdown, "html": html, "cleaned": cleaned}
    form.refuse_others({"match": match, "mime": mime, "status": status, "all": every, **contents})
    selection = Selection(match or (), mime or (), status or (() if every else form.statuses))
    folder = crawl_in(folder)
    path = output or folder / f"export.{form.ending}"
    with CrawlReader(folder) as reader, _progress(reader, form, enabled=sys.stderr.isatty() and not quiet) as advance:
        source = Source(reader, selection, Content(**contents), path.parent)
        if path == STDOUT:
            _print(form, source, advance)
        elif form.write_files is not None and path.is_dir():
            form.write_files(source, path, advance, force)
        else:
            with appears_whole(path, replaces=force) as out:
                form.write(source, out, advance)
    if not quiet and path != STDOUT:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"Written to {path}", markup=False)


def _print(form: Format, source: Source, advance: Advance) -> None:
    if not form.is_stream:
        raise BadInput(f"--to {form.name} needs a file: -o - is for urls, jsonl and refused")
    try:
        form.write(source, sys.stdout.buffer, advance)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read has read enough, as `head` does. What is still in the buffer must go nowhere at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.DONE) from None


@contextmanager
def _progress(reader: CrawlReader, form: Format, *, enabled: bool) -> Iterator[Advance]:
    """Show on standard error how far the export is: in bytes of the archive, or in rows."""
    if not enabled:
        yield lambda amount: None
        return
    total = None
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.completed:,.0f} rows")]
    if form.is_archive:
        total = sum(committed_bytes for _, _, committed_bytes in reader.files())
        columns = [BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total)
        yield lambda amount: shown.advance(task, amount)
