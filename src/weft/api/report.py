"""`weft.report`: what came of a crawl."""

from __future__ import annotations

from pathlib import Path

from weft.folder.layout import crawl_in
from weft.folder.reading import CrawlReader
from weft.stats.figures import Report
from weft.stats.report import HOSTS_SHOWN, build_report

FILE_CHUNK_BYTES = 1 << 20


def report(folder: str | Path, *, hosts: int = HOSTS_SHOWN) -> Report:
    """What came of the crawl in a folder, or in a mirror, with this many hosts in each table of hosts.

    The crawl may be finished, killed or running.
    """
    path = crawl_in(Path(folder))
    with CrawlReader(path) as crawl:
        return build_report(
            crawl.rows(),
            crawl.counters,
            crawl.config,
            hosts=hosts,
            items_written=_lines_in(path / "items.jsonl"),
            left_out=crawl.left_out(),
        )


def _lines_in(path: Path) -> int:
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(FILE_CHUNK_BYTES), b""))
