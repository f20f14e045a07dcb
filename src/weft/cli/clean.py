"""`weft clean`: what carries nothing is deleted from pages, in bulk."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from weft.api.clean import Queue, open_cleaning
from weft.clean import PRESETS, Form
from weft.clean.bulk import Sizes
from weft.cli.clean_run import print_summary, run_to_end
from weft.settings.units import read_size

_SIZES = Sizes()

_TABLES, _RULES, _SIZE = "Tables", "What is deleted", "How much at once"


def _size(name: str, default: int, words: str) -> Any:
    is_bytes = name.endswith("-bytes")
    return typer.Option(
        f"--{name}",
        metavar="SIZE" if is_bytes else "N",
        parser=read_size if is_bytes else None,
        min=None if is_bytes else 1,
        help=f"{words} [default: {default:,}]",
        rich_help_panel=_SIZE,
        show_default=False,
    )


def clean(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A database URL, an SQLite file (.db, .sqlite), a crawl folder, a mirror."),
    ],
    out: Annotated[
        str, typer.Argument(metavar="OUT", help="A database; of a crawl folder a .warc.gz, .jsonl or .parquet file.")
    ],
    to: Annotated[Form, typer.Option("--to", help="What is left is written as this.")] = Form.HTML,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Delete by these rules: {', '.join(PRESETS)}. [default: the one that suits --to, paper for html]",
            rich_help_panel=_RULES,
        ),
    ] = None,
    rules: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules of your own, a TOML file: docs/clean.md.", rich_help_panel=_RULES),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CSS", help="What this selects stays, whatever the rules say. [repeatable]", rich_help_panel=_RULES
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="CSS", help="What this selects goes. [repeatable]", rich_help_panel=_RULES),
    ] = None,
    in_table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The pages to clean. [default: pages]", rich_help_panel=_TABLES)
    ] = None,
    out_table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Where they go; made if missing. [default: cleaned]", rich_help_panel=_TABLES
        ),
    ] = None,
    aside_table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Those that cannot be cleaned, with the reason. [default: that of --out-table and _aside]",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    in_columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="What its columns are called: url=address,content=html,type=mime.",
            rich_help_panel=_TABLES,
        ),
    ] = None,
    out_columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="The same of url, content, title, language, charset.", rich_help_panel=_TABLES
        ),
    ] = None,
    queue: Annotated[
        Queue | None,
        typer.Option(
            help="When a page is cleaned its row stays as it is, is marked in a column cleaned_at, or goes. "
            "[default: keep]",
            show_default=False,
            rich_help_panel=_TABLES,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="At most so many processes. [default: one a core]", rich_help_panel=_SIZE
        ),
    ] = None,
    read_rows: Annotated[int | None, _size("read-rows", _SIZES.read_rows, "Rows read at once.")] = None,
    block_pages: Annotated[int | None, _size("block-pages", _SIZES.block_pages, "Pages in a block.")] = None,
    buffer_blocks: Annotated[int | None, _size("buffer-blocks", _SIZES.buffer_blocks, "Blocks that may wait.")] = None,
    buffer_bytes: Annotated[int | None, _size("buffer-bytes", _SIZES.buffer_bytes, "Bytes in memory at once.")] = None,
    write_rows: Annotated[int | None, _size("write-rows", _SIZES.write_rows, "Pages written at once.")] = None,
    large_bytes: Annotated[
        int | None, _size("large-bytes", _SIZES.large_bytes, "Longer pages are cleaned alone, with 1 GB of memory.")
    ] = None,
    largest_bytes: Annotated[
        int | None, _size("largest-bytes", _SIZES.largest_bytes, "Longer pages are set aside.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there already.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Delete from pages what carries nothing: scripts, styles, forms, and what else the rules say.

    \b
    weft clean pages.db cleaned.db
    weft clean postgresql://me@db/crawl postgresql://me@db/crawl --to text --queue take
    weft clean crawl-example.org pages.jsonl --to markdown

    After a stop of any kind the same command goes on: no page is lost, and none is there twice. docs/clean.md tells
    about tables, rules and outputs.

    Exit codes: 0 done; 1 unexpected error; 2 bad input; 5 disk full; 6 the folder cannot be used; 129, 130,
    143 stopped by a signal.
    """
    given: dict[str, Any] = {name: value for name, value in locals().items() if value is not None}
    del given["as_json"], given["quiet"]
    cleaning = open_cleaning(**given)
    summary, exit_code = run_to_end(cleaning, shows_progress=sys.stderr.isatty() and not quiet, quiet=quiet)
    if summary is None:
        raise typer.Exit(exit_code)
    if as_json:
        print(msgspec.json.encode(summary).decode())
    elif not quiet:
        print_summary(summary, out)
    raise typer.Exit(exit_code)
