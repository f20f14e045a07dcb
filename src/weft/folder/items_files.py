"""Where the items of a crawl lie."""

from __future__ import annotations

from pathlib import Path

from weft.errors import FolderError
from weft.folder.reading import CrawlReader
from weft.folder.readings import NodesReader
from weft.store.items import Items


def items_files(reader: CrawlReader) -> list[tuple[Path, int]]:
    """The files of items, one a folder, each with the length up to which it is true; FolderError if one is shorter."""
    readers = reader.readers if isinstance(reader, NodesReader) else [reader]
    return [found for one in readers if (found := _items_file(one, one.path / "items.jsonl"))[1]]


def _items_file(reader: CrawlReader, path: Path) -> tuple[Path, int]:
    end = Items(reader.state, path).end
    # a line is on disk before the database counts it: what is missing here, somebody took away
    length = path.stat().st_size if path.exists() else 0
    if length < end:
        what = "has lost lines that were safely on disk" if path.exists() else "is missing"
        raise FolderError(f"{path} {what}: {reader.items:,} items were in it")
    return path, end
