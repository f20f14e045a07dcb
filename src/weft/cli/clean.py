"""`weft clean`: what carries nothing is deleted from pages, in bulk."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import msgspec
import typer

from weft.api.clean import CLEAN_SETTINGS, open_cleaning
from weft.cli.clean_run import print_summary, run_to_end
from weft.cli.options import takes
from weft.cli.sources import fields_of, read_flags
from weft.workers.nursery import open_nursery


@takes(CLEAN_SETTINGS, has_no=False)
def clean(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A database URL, an SQLite file (.db, .sqlite), a crawl folder, a mirror."),
    ],
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="A database; of a crawl folder a .warc.gz, .jsonl or .parquet file.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    **flags: Any,
) -> None:
    """Strip scripts, styles and forms from pages, in bulk, by rules that can be changed.

    \b
    weft clean pages.db cleaned.db
    weft clean postgresql://me@db/crawl postgresql://me@db/crawl --to text --queue take
    weft clean crawl-example.org pages.jsonl --to markdown

    After a stop of any kind the same command goes on: no page is lost, and none is there twice. docs/clean.md tells
    about tables, rules and outputs.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 5 disk full; 6 the folder cannot be used; 129, 130,
    143 stopped by a signal.
    """
    open_nursery("weft.clean.bulk.worker")
    options: Any = fields_of(read_flags(flags, CLEAN_SETTINGS), CLEAN_SETTINGS)
    cleaning = open_cleaning(source, out, **options)
    summary, exit_code = run_to_end(cleaning, shows_progress=sys.stderr.isatty() and not quiet, quiet=quiet)
    if summary is None:
        raise typer.Exit(exit_code)
    if as_json:
        print(msgspec.json.encode(summary).decode())
    elif not quiet:
        print_summary(summary, out)
    raise typer.Exit(exit_code)
