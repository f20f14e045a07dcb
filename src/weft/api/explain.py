"""`weft.explain`: what has become of a URL or a host of a crawl, and why."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from weft.explain.asked import asked
from weft.explain.host import explain_host
from weft.explain.result import Explanation
from weft.explain.url import UrlExplainer
from weft.explain.waiting import CrawlNow
from weft.folder.belonging import belonging_of
from weft.folder.layout import CRAWL_FOLDER, is_worked_on
from weft.folder.readings import Folders, open_reader, paths_of
from weft.live.reader import read_status

LOG = "crawl.log"


def explain(url: str, folder: Folders) -> Explanation:
    """What has become of a URL in the crawl in a folder, or in a mirror; of a host, if `url` is the name of one.

    The crawl may be finished, killed or running. A list of folders: those of the nodes of one cluster's crawl.
    """
    what = asked(url)
    paths = paths_of(folder)
    with open_reader(paths) as reader:
        crawl, now = _crawl_now(paths), time.time()
        if not what.url:
            return explain_host(reader, what, crawl, now)
        return UrlExplainer(reader, crawl, now, logs=[path / LOG for path in paths]).explain(what)


def _crawl_now(paths: Sequence[Path]) -> CrawlNow:
    """How the crawl in these folders stands, as whoever works on it tells."""
    running = [path for path in paths if is_worked_on(path)]
    statuses = [status for path in running if (status := read_status(path)) is not None]
    rests = {wait.name: wait.why for status in statuses for wait in status.waiting}
    limit = statuses[0].limiter.words if len(statuses) == 1 else ""
    return CrawlNow(bool(running), *_commands(paths[0]), rests, limit)


def _commands(path: Path) -> tuple[str, str]:
    """How to go on with the crawl in a folder, and how to steer it."""
    shown = path.parent if path.name == CRAWL_FOLDER else path
    if (node := belonging_of(path)) is not None:
        go_on = f"weft node {node.crawl} -o {shown}"
    else:
        go_on = f"weft resume {shown}" if shown == path else f"weft mirror -o {shown}"
    return go_on, f"weft control {shown}"
