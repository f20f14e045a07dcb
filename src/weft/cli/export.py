"""`weft export`: a crawl in the forms that other tools read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec
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
from weft.export import (
    Content,
    Selection,
    copy_files,
    write_jsonl,
    write_parquet,
    write_refused,
    write_urls,
    write_wacz,
    write_warc,
)
from weft.export.selection import SUCCESS
from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader
from weft.whole_file import appears_whole

STDOUT = Path("-")


class Format(StrEnum):
    """What an export may be."""

    JSONL = "jsonl"
    PARQUET = "parquet"
    REFUSED = "refused"
    URLS = "urls"
    WACZ = "wacz"
    WARC = "warc"


ENDINGS = {
    Format.JSONL: "jsonl",
    Format.PARQUET: "parquet",
    Format.REFUSED: "refused.jsonl",
    Format.URLS: "txt",
    Format.WACZ: "wacz",
    Format.WARC: "warc.gz",
}
LINES = (Format.JSONL, Format.URLS)
TABLES = (*LINES, Format.PARQUET)  # made from rows, of which some may be chosen
ROWS = (*TABLES, Format.REFUSED)
PRINTED = (*LINES, Format.REFUSED)


class Wish(msgspec.Struct, frozen=True):
    """What the user asks for."""

    format: Format
    selection: Selection
    content: Content
    replaces: bool


def export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder, or a mirror. It may still run.")],
    to: Annotated[Format, typer.Option("--to", help="The form.")],
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
    chosen = {"--match": match, "--mime": mime, "--status": status}
    _refuse_unless(to in TABLES, [flag for flag, values in chosen.items() if values], to)
    _refuse_unless(to in LINES, ["--all"] * every, to)
    _refuse_unless(to in (Format.JSONL, Format.PARQUET, Format.WACZ), ["--text"] * text, to)
    forms = {"--markdown": markdown, "--cleaned": cleaned, "--html": html}
    _refuse_unless(to is Format.JSONL, [flag for flag, is_wanted in forms.items() if is_wanted], to)
    statuses = status or ([SUCCESS] if to in LINES and not every else [])
    wish = Wish(to, Selection(match or (), mime or (), statuses), Content(text, markdown, html, cleaned), force)
    folder = crawl_in(folder)
    path = output or folder / f"export.{ENDINGS[to]}"
    with CrawlReader(folder) as reader, _progress(reader, to, enabled=sys.stderr.isatty() and not quiet) as advance:
        if path == STDOUT:
            _print(reader, wish, advance)
        elif to is Format.WARC and path.is_dir():
            copy_files(reader, path, advance, replaces=force)
        else:
            with appears_whole(path, replaces=force) as out:
                _write(reader, wish, out, path.parent, advance)
    if not quiet and path != STDOUT:
        Console(stderr=True, highlight=False, soft_wrap=True).print(f"Written to {path}", markup=False)


def _refuse_unless(fits: bool, flags: list[str], to: Format) -> None:
    if flags and not fits:
        raise BadInput(f"{flags[0]} has no meaning for --to {to}")


def _write(reader: CrawlReader, wish: Wish, out: BinaryIO, scratch: Path, advance: Callable[[int], None]) -> None:
    match wish.format:
        case Format.URLS:
            write_urls(reader, wish.selection, out, advance)
        case Format.REFUSED:
            write_refused(reader, out, advance)
        case Format.JSONL:
            write_jsonl(reader, wish.selection, wish.content, out, advance)
        case Format.PARQUET:
            write_parquet(reader, wish.selection, out, advance, with_text=wish.content.text)
        case Format.WACZ:
            write_wacz(reader, out, scratch, advance, with_text=wish.content.text)
        case Format.WARC:
            write_warc(reader, out, advance)


def _print(reader: CrawlReader, wish: Wish, advance: Callable[[int], None]) -> None:
    if wish.format not in PRINTED:
        raise BadInput(f"--to {wish.format} needs a file: -o - is for urls, jsonl and refused")
    try:
        _write(reader, wish, sys.stdout.buffer, STDOUT, advance)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read has read enough, as `head` does. What is still in the buffer must go nowhere at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.DONE) from None


@contextmanager
def _progress(reader: CrawlReader, to: Format, *, enabled: bool) -> Iterator[Callable[[int], None]]:
    """Show on standard error how far the export is: in bytes of the archive, or in rows."""
    if not enabled:
        yield lambda amount: None
        return
    total = None
    columns: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.completed:,.0f} rows")]
    if to not in ROWS:
        total = sum(committed_bytes for _, _, committed_bytes in reader.files())
        columns = [BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task("", total=total)
        yield lambda amount: shown.advance(task, amount)
