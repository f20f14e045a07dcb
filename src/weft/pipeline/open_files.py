"""How many files the crawl may have open at once, and who gets how many.

A connection is a file, and a long body on its way another; the database keeps its tables open; an idle connection is
kept only because there is room. With too few to go round all of them get less, and the crawl is slower.
"""

from __future__ import annotations

import resource

import msgspec

from weft.errors import BadInput

# For the loop, the database's own files, logs, workers, name servers, index files, and connections that lost a race.
RESERVED = 72
LEAST = 128
MOST_TABLES = 256
MOST_IDLE = 1000


class FileShares(msgspec.Struct, frozen=True):
    """Who may have how many."""

    connections: int  # each with its spool file
    idle_connections: int
    tables: int


def open_files_limit() -> int:
    """How many this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft


def share_out(limit: int, connections: int) -> FileShares:
    """The shares of a crawl that would like this many connections. BadInput when there are too few for any."""
    if limit == resource.RLIM_INFINITY:
        return FileShares(connections, MOST_IDLE, MOST_TABLES)
    if limit < LEAST:
        raise BadInput(
            f"only {limit} files may be open at once, and a crawl needs {LEAST}: `ulimit -n 4096` allows more"
        )
    left = limit - RESERVED
    tables = min(MOST_TABLES, max(20, left // 4))
    left -= tables
    active = max(1, min(connections, left // 3))
    return FileShares(active, min(MOST_IDLE, left - 2 * active), tables)
