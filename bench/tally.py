"""What a tool fetched, told from the server's access log: counted the same way for every tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

import msgspec

from bench.pages import FORBIDDEN_PREFIX

ROBOTS = "/robots.txt"


class Tally(msgspec.Struct, frozen=True):
    """One run beside the truth."""

    pages: int  # of the truth, fetched whole: each counts once
    missed: int
    twice: int  # of these pages, fetched more than once
    forbidden: int  # fetched although robots.txt forbids it
    robots: int  # times that a robots.txt was asked for
    requests: int


def page_key(address: str, path: str) -> str:
    """By which truth and log know a page, however its path is escaped."""
    return f"{address} {unquote(path)}"


def tally(log: Iterable[str], truth: frozenset[str]) -> Tally:
    """Count the lines METHOD STATUS ADDRESS URI of a run."""
    fetched: Counter[str] = Counter()
    forbidden = robots = requests = 0
    for line in log:
        method, status, address, uri = line.split(" ", 3)
        requests += 1
        if uri == ROBOTS:
            robots += 1
        elif uri.startswith(FORBIDDEN_PREFIX):
            forbidden += 1
        elif method == "GET" and status == "200":
            fetched[page_key(address, uri)] += 1
    found = {key: times for key, times in fetched.items() if key in truth}
    return Tally(
        pages=len(found),
        missed=len(truth) - len(found),
        twice=sum(times > 1 for times in found.values()),
        forbidden=forbidden,
        robots=robots,
        requests=requests,
    )
