"""The file that a crawl's items are written to at the end of each run: `--items FILE`."""

from __future__ import annotations

from pathlib import Path

from weft.errors import told_in_words
from weft.folder.reading import CrawlReader
from weft.pipeline.crawl import Crawl
from weft.pipeline.engine import Ending


def write_items_file(crawl: Crawl, path: Path) -> None:
    """Write all items of a crawl that has just ended. A good file is not replaced by an empty one of a failed run."""
    from weft.export.items import lines_in, write_items  # only then: a crawl can do without the forms of exports
    from weft.folder.items_files import items_files

    has_failed = crawl.ending is not Ending.DONE or crawl.counters.items_failed > 0
    if not crawl.items and has_failed and path.is_file() and path.stat().st_size:
        return
    with told_in_words(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with CrawlReader(crawl.folder.path) as reader:
        files = items_files(reader)
        write_items(lambda: lines_in(files), path, replaces=True)
