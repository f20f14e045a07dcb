"""Where the items of a crawl lie."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

from weft.errors import FolderError
from weft.folder.items_parts import items_of
from weft.folder.reading import CrawlReader
from weft.folder.readings import NodesReader
from weft.store.items import Items


def items_files(reader: CrawlReader) -> list[tuple[Path, int]]:
    """The files of items, one a folder and engine, and up to where each is true; FolderError if one is shorter."""
    readers = reader.readers if isinstance(reader, NodesReader) else [reader]
    parts = chain.from_iterable(items_of(one.path, one.state) for one in readers)
    return [found for one in parts if (found := _items_file(one))[1]]


def _items_file(items: Items) -> tuple[Path, int]:
    # a line is on disk before the database counts it: what is missing here, somebody took away
    path = items.path
    length = path.stat().st_size if path.exists() else 0
    if length < items.end:
        what = "has lost lines that were safely on disk" if path.exists() else "is missing"
        raise FolderError(f"{path} {what}: {items.count:,} items were in it")
    return path, items.end
