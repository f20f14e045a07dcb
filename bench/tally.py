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


def sent_whole(log: Iterable[str]) -> Counter[str]:
    """How often each page was sent, by its key, told from the lines METHOD STATUS ADDRESS URI of a run."""
    sent: Counter[str] = Counter()
    for line in log:
        method, status, address, uri = line.split(" ", 3)
        if method == "GET" and status == "200":
            sent[page_key(address, uri)] += 1
    return sent


def tally(log: list[str], truth: frozenset[str], forbidden: tuple[str, ...] = (FORBIDDEN_PREFIX,)) -> Tally:
    """Count the lines of a run; what robots.txt forbids begins with one of `forbidden`."""
    found = {key: times for key, times in sent_whole(log).items() if key in truth}
    asked = [line.split(" ", 3)[3] for line in log]
    return Tally(
        pages=len(found),
        missed=len(truth) - len(found),
        twice=sum(times > 1 for times in found.values()),
        forbidden=sum(uri.startswith(forbidden) for uri in asked),
        robots=asked.count(ROBOTS),
        requests=len(asked),
    )
