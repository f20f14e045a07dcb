"""`weft repair`: the state of a crawl, made again from its archive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from weft.folder.layout import crawl_in, load_config
from weft.folder.repair import repair as repair_folder
from weft.stats.verdict import counted


def repair(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A crawl folder, or a mirror.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as one JSON object.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Rebuild a crawl's database from its archive, when it is damaged or gone.

    The pages come from the WARC files; `weft resume` then reads their links again and fetches what is missing. The
    old database is kept beside the new one. A folder that an older weft made is brought up to date: all that its
    database knew is carried over.
    """
    crawl = crawl_in(folder)
    console = Console(stderr=True, quiet=quiet or not sys.stderr.isatty())
    with console.status("reading the archive …") as status:
        found = repair_folder(crawl, lambda file, pages: status.update(f"{file}: {counted(pages, 'page')} so far"))
    if as_json:
        print(msgspec.json.encode(found).decode())
        return
    others = counted(found.sides, "other record")
    print(f"Known again: {counted(found.pages, 'page')} and {others} in {counted(found.files, 'file')}.")
    if found.cut_bytes:
        print(
            f"Records that were not whole were cut off ({counted(found.cut_bytes, 'byte')}, kept in {found.cut_off});"
        )
        print("their pages are fetched again.")
    if found.left_out:
        print(f"Fetched again, because the record that they refer to is gone: {counted(found.left_out, 'page')}.")
    if (crawl / "items.jsonl").exists() and not found.is_carried:
        print("items.jsonl stays as it is; if the crawl was killed, the pages of its last second may lack their items.")
    elif found.pages and not found.is_carried and load_config(crawl).extractors:
        print("There is no items.jsonl: these pages have no items; `weft extract` makes them from the archive.")
    if found.old_database:
        print(f"The old database is kept in {found.old_database}; remove it when all is well.")
    print(f"`weft {'resume' if crawl == folder else 'mirror -o'} {folder}` goes on.")
