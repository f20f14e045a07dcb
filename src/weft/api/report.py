"""`weft.report`: what came of a crawl."""

from __future__ import annotations

from weft.folder.readings import Folders, open_reader, paths_of
from weft.frontier.places import read_place
from weft.stats.figures import Report
from weft.stats.report import HOSTS_SHOWN, build_report


def report(folder: Folders, *, hosts: int = HOSTS_SHOWN) -> Report:
    """What came of the crawl in a folder, or in a mirror, with this many hosts in each table of hosts.

    The crawl may be finished, killed or running. A list of folders: those of the nodes of one cluster's crawl.
    """
    with open_reader(paths_of(folder)) as crawl:
        return build_report(
            crawl.rows(),
            crawl.counters,
            crawl.config,
            hosts=hosts,
            items_written=crawl.items,
            left_out=crawl.left_out(),
            value_waiting=sum(read_place(row)[0].score for _, row in crawl.database.scan("place")),
        )
