"""`weft clean`: what carries nothing is deleted from pages, in bulk."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from weft.clean import PRESET_OF, PRESETS, Cleaner, Form, Rules, rules_from
from weft.clean.bulk import Cleaning, CleanJob, Sizes
from weft.cli.clean_run import print_summary, run_to_end
from weft.cli.units import read_size
from weft.errors import BadInput
from weft.folder.layout import crawl_in

SQLITE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_SIZES = Sizes()

_TABLES, _RULES, _SIZE = "Tables", "What is deleted", "How much at once"


class Queued(StrEnum):
    """What happens to a page's row in the queue when it is cleaned."""

    KEEP = "keep"
    MARK = "mark"
    TAKE = "take"


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
        Queued | None,
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
    chosen = read_rules(to, preset, rules, keep or (), drop or ())
    given = {"workers": workers, "read_rows": read_rows, "block_pages": block_pages, "buffer_blocks": buffer_blocks,
             "buffer_bytes": buffer_bytes, "write_rows": write_rows, "large_bytes": large_bytes,
             "largest_bytes": largest_bytes}  # fmt: skip
    sizes = Sizes(**{name: value for name, value in given.items() if value is not None})
    tables = {"--in-table": in_table, "--out-table": out_table, "--aside-table": aside_table,
              "--in-columns": in_columns, "--out-columns": out_columns, "--queue": queue}  # fmt: skip
    job = open_job(source, out, to, chosen, sizes, tables, force=force)
    cleaning = Cleaning(job, chosen, to, sizes)
    summary, exit_code = run_to_end(cleaning, shows_progress=sys.stderr.isatty() and not quiet, quiet=quiet)
    if summary is None:
        raise typer.Exit(exit_code)
    if as_json:
        print(msgspec.json.encode(summary).decode())
    elif not quiet:
        print_summary(summary, out)
    raise typer.Exit(exit_code)


def read_rules(form: Form, preset: str | None, file: Path | None, keep: Sequence[str], drop: Sequence[str]) -> Rules:
    """The rules that the flags ask for; BadInput for what cannot be used."""
    said: dict[str, Any] = {}
    if file is not None:
        try:
            said = tomllib.loads(file.read_text())
        except OSError as error:
            raise BadInput(f"cannot read {file}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"{file} is no TOML: {error}") from error
    if preset is not None:
        said["preset"] = preset
    elif file is None:
        said["preset"] = PRESET_OF[form]
    found = rules_from(said)
    found = msgspec.structs.replace(found, keep=(*found.keep, *keep), drop=(*found.drop, *drop))
    Cleaner(found, form)  # refuses a selector that is none
    return found


def open_job(
    source: str, out: str, form: Form, rules: Rules, sizes: Sizes, tables: dict[str, str | None], *, force: bool
) -> CleanJob:
    """What the two words of the command line mean."""
    if is_database(source):
        if not is_database(out):
            raise BadInput(f"pages of a table go into a table: {out!r} is no database")
        if force:
            raise BadInput("--force has no meaning for tables: delete from them what is to be cleaned again")
        return _open_tables(source, out, sizes, tables)
    if not Path(source).is_dir():
        raise BadInput(f"{source!r} is no crawl folder, and no database: sqlite:///FILE or postgresql://…")
    if is_database(out):
        raise BadInput("a crawl folder is cleaned into a file: .warc.gz, .jsonl or .parquet")
    for flag, value in tables.items():
        if value is not None:
            raise BadInput(f"{flag} has no meaning for a crawl folder")
    from weft.clean.bulk.files.job import open_folder_job

    settings = msgspec.json.encode(rules).decode()
    return CleanJob(*open_folder_job(crawl_in(Path(source)), Path(out), form=form, settings=settings, replaces=force))


def is_database(word: str) -> bool:
    """Whether a word names a database."""
    return "://" in word or word.endswith(SQLITE_SUFFIXES)


def _open_tables(source: str, out: str, sizes: Sizes, given: dict[str, str | None]) -> CleanJob:
    from weft.clean.bulk.tables.columns import IN_COLUMNS, OUT_COLUMNS, Names, Queue, column_names
    from weft.clean.bulk.tables.job import open_table_job

    usual = Names()
    names = Names(
        in_table=given["--in-table"] or usual.in_table,
        out_table=given["--out-table"] or usual.out_table,
        aside_table=given["--aside-table"] or "",
        in_columns=column_names(given["--in-columns"] or "", IN_COLUMNS),
        out_columns=column_names(given["--out-columns"] or "", OUT_COLUMNS),
    )
    return open_table_job(source, out, names, Queue(given["--queue"] or Queue.KEEP), sizes)
