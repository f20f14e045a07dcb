"""`weft repair`: the state of a crawl, made again from its archive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from weft.pipeline.repair import repair as repair_folder


def repair(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Make a crawl's database again from its archive, when it is damaged or gone.

    The pages come from the WARC files; `weft resume` then reads their links again and fetches what is missing. The
    old database is kept beside the new one.
    """
    console = Console(stderr=True, quiet=quiet or not sys.stderr.isatty())
    with console.status("reading the archive …") as status:
        found = repair_folder(folder, lambda file, pages: status.update(f"{file}: {pages:,} pages so far"))
    if as_json:
        print(msgspec.json.encode(found).decode())
        return
    print(f"{found.pages:,} pages and {found.sides:,} other records in {found.files:,} files are known again.")
    if found.cut_bytes:
        print(
            f"{found.cut_bytes:,} bytes of records that were not whole were cut off, and are kept in {found.cut_off};"
        )
        print("their pages are fetched again.")
    if found.left_out:
        print(f"{found.left_out:,} pages refer to a record that is not there, and are fetched again.")
    if (folder / "items.jsonl").exists():
        print("items.jsonl stays as it is; if the crawl was killed, the pages of its last second may lack their items.")
    if found.old_database:
        print(f"The old database is kept in {found.old_database}; remove it when all is well.")
    print(f"`weft resume {folder}` goes on.")
