"""`weft.read`: the pages of a crawl folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader
from weft.page import Page


def read(folder: str | Path) -> Iterator[Page]:
    """The pages of a crawl folder, or of a mirror (responses with a 2xx status), also while its crawl runs."""
    with CrawlReader(crawl_in(Path(folder))) as reader:
        for page in reader.pages():
            if 200 <= page.status < 300:
                yield page
