"""Exit codes: a script can tell from them how a crawl ended."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What each code means."""

    DONE = 0
    FAILED = 1  # an error that weft did not expect
    BAD_INPUT = 2
    LIMIT = 3  # a limit was reached, or hosts were left for later; `weft resume` goes on
    SEEDS_FAILED = 4  # not one page could be fetched
    DISK_FULL = 5
    FOLDER = 6  # the crawl folder cannot be used
    DAMAGED = 7  # a pack, or a folder made from one, is not what its manifest or signature says
    FOUND = 8  # `weft report --fail-on` found what it names
    HUNG_UP = 129  # by SIGHUP, as when the terminal was closed; `weft resume` goes on
    INTERRUPTED = 130  # by Ctrl-C; `weft resume` goes on
    TERMINATED = 143  # by SIGTERM; `weft resume` goes on
