"""`weft.explain`: what has become of a URL or a host of a crawl, and why."""

from __future__ import annotations

import time
from pathlib import Path

from weft.explain.asked import asked
from weft.explain.host import explain_host
from weft.explain.result import Explanation
from weft.explain.url import UrlExplainer
from weft.folder.belonging import belonging_of
from weft.folder.layout import CRAWL_FOLDER, holder_of
from weft.folder.readings import Folders, open_reader, paths_of


def explain(url: str, folder: Folders) -> Explanation:
    """What has become of a URL in the crawl in a folder, or in a mirror; of a host, if `url` is the name of one.

    The crawl may be finished, killed or running. A list of folders: those of the nodes of one cluster's crawl.
    """
    what = asked(url)
    paths = paths_of(folder)
    with open_reader(paths) as reader:
        is_running = any(holder_of(path) is not None for path in paths)
        if not what.url:
            return explain_host(reader, what, _go_on(paths[0]), time.time(), is_running=is_running)
        return UrlExplainer(reader, _go_on(paths[0]), time.time(), is_running=is_running).explain(what)


def _go_on(path: Path) -> str:
    """The command that goes on with the crawl in a folder."""
    if (node := belonging_of(path)) is not None:
        return f"weft node {node.crawl} -o {path}"
    return f"weft mirror -o {path.parent}" if path.name == CRAWL_FOLDER else f"weft resume {path}"
