"""Where the items of a crawl lie."""

from __future__ import annotations

from pathlib import Path

from weft.folder.reading import CrawlReader
from weft.folder.readings import NodesReader
from weft.store.items import Items


def items_files(reader: CrawlReader) -> list[tuple[Path, int]]:
    """The files of items, one a folder, each with the length up to which it is true."""
    readers = reader.readers if isinstance(reader, NodesReader) else [reader]
    paths = [(one, one.path / "items.jsonl") for one in readers]
    return [(path, Items(one.state, path).end) for one, path in paths if path.exists()]
