"""The items of a crawl that may have several engines.

    one engine   items.jsonl itself, as its pages come
    several      each a file beside its database; `items.jsonl` is made of them at the end of each run

A part goes with its database: when a crawl gets another number of engines, both are others from the same moment on.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Final

from weft.errors import told_when_full
from weft.folder.databases import ONE_DATABASE, databases_of
from weft.state import State
from weft.state.several import SeveralStates
from weft.store.items import Items, adopted, lost_lines
from weft.whole_file import appearing_whole

ITEMS_FILE: Final = "items.jsonl"
_CHUNK_BYTES: Final = 1 << 20


def items_file_of(folder: Path, database: Path) -> Path:
    """The file of the engine that has this database."""
    if database.name == ONE_DATABASE:
        return folder / ITEMS_FILE
    return database.with_name(f"{database.name}-{ITEMS_FILE}")


def items_of(folder: Path, state: State) -> list[Items]:
    """The items of each engine, as the crawl's open database tells of them."""
    states = state.parts if isinstance(state, SeveralStates) else [state]
    return [
        Items(one, items_file_of(folder, database)) for one, database in zip(states, databases_of(folder), strict=False)
    ]


def join_items(parts: Iterable[Items], to: Path) -> tuple[int, int]:
    """Make one file of all items; its length, and how many they are. A part that somebody took away is left out."""
    there = [part for part in parts if part.end and part.path.exists()]
    if there:
        with told_when_full(to.name), appearing_whole(to) as out:
            for part in there:
                _copy(part.path, part.end, out)
    return sum(part.end for part in there), sum(part.count for part in there)


def keep_parts(folder: Path) -> None:
    """Before databases that cannot be read are set aside: have the whole lines of all parts in `items.jsonl`."""
    paths = [items_file_of(folder, database) for database in databases_of(folder)]
    there = [path for path in paths if path.name != ITEMS_FILE and path.exists()]
    if there:
        with told_when_full(ITEMS_FILE), appearing_whole(folder / ITEMS_FILE) as out:
            for path in there:
                _copy(path, adopted(path)[0], out)


def _copy(path: Path, end: int, out: BinaryIO) -> None:
    with path.open("rb") as file:
        left = end
        while left:
            if not (chunk := file.read(min(left, _CHUNK_BYTES))):
                raise lost_lines(path)
            out.write(chunk)
            left -= len(chunk)
