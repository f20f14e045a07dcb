"""What the log of a crawl says: a line when it begins, one now and then, and one when it has ended.

The lines in between are enough to know how far it is, what limits it and whether something is wrong; one that says
that something is wrong is a warning.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from weft.api.log_records import log_end
from weft.cli.exits import Exit
from weft.live.reader import read_status
from weft.live.status import Limit, Status
from weft.logs import logger
from weft.stats.verdict import counted, duration

_log = logger("crawl")
MANY_FAILED = 0.5  # of the requests between two lines …
TO_JUDGE_BY = 10  # … if there were this many


def say_end(code: int, words: str, figures: dict[str, Any] | None = None) -> None:
    """How it ended, and what goes on with it."""
    known = {one.value: one.name.lower().replace("_", "-") for one in Exit}
    log_end(known.get(code, "failed"), words, figures, exit_code=code)


async def keep_saying(folder: Path, every_s: float) -> None:
    """A line every few seconds until this is cancelled."""
    lines = ProgressLines()
    while True:
        await asyncio.sleep(every_s)
        status = read_status(folder)
        if status is not None and status.pid == os.getpid():  # else it is of an earlier run
            lines.say(status)


class ProgressLines:
    """One after the other; one is a warning where something is wrong that was not when the one before was written."""

    def __init__(self) -> None:
        self._before: Status | None = None
        self._known: set[str] = set()  # kinds of trouble in the line before

    def say(self, status: Status) -> None:
        """How it goes now."""
        wrong = list(troubles(status, self._before))
        kinds = {re.sub(r"[\d.,]+", "", trouble) for trouble in wrong}
        level = logging.INFO if kinds <= self._known else logging.WARNING
        fields = {"event": "progress", **figures(status), "wrong": wrong}
        _log.log(level, "%s", words(status, wrong), extra={"figures": fields})
        self._before, self._known = status, kinds


def words(status: Status, wrong: list[str]) -> str:
    """How it goes, in a line."""
    hosts = status.hosts
    parts = [
        f"{duration(status.seconds)} {status.state}",
        f"{counted(status.pages, 'page')}, {status.rates.pages:,.1f}/s, {status.rates.bytes / 1e6:,.2f} MB/s",
        f"{status.queued:,} queued, {sum(status.failed.values()):,} failed",
        f"hosts {hosts.ready + hosts.busy:,} ready, {hosts.waiting + hosts.preparing:,} waiting, {hosts.left:,} left",
        f"limited by {status.limiter.name}: {status.limiter.words}",
    ]
    if status.limit is not None:
        parts.append(limit_words(status.limit))
    parts.append(f"wrong: {', '.join(wrong)}" if wrong else "nothing wrong")
    return "; ".join(parts)


def limit_words(limit: Limit) -> str:
    """How near the end is."""
    left = f", {duration(limit.left_s)} left" if limit.left_s is not None else ""
    of = duration(limit.of) if limit.name == "time" else f"{limit.of:,.0f} {limit.name}"
    return f"{limit.percent:.1f} % of {of}{left}"


def figures(status: Status) -> dict[str, Any]:
    """The same as fields."""
    hosts, limit = status.hosts, status.limit
    fields: dict[str, Any] = {
        "state": status.state,
        "elapsed_s": status.seconds,
        "pages": status.pages,
        "pages_per_s": round(status.rates.pages, 2),
        "bytes": status.bytes,
        "bytes_per_s": round(status.rates.bytes),
        "requests": status.requests,
        "queued": status.queued,
        "hosts_ready": hosts.ready + hosts.busy,
        "hosts_waiting": hosts.waiting + hosts.preparing,
        "hosts_left": hosts.left,
        "limiter": status.limiter.name,
        "failed": sum(status.failed.values()),
        "workers_died": status.workers_died,
    }
    if limit is not None:
        fields |= {"limit": limit.name, "limit_percent": limit.percent, "limit_left_s": limit.left_s}
    return fields


def troubles(status: Status, before: Status | None) -> Iterator[str]:
    """What is wrong, and what went wrong since the line before."""
    yield from status.warnings
    tried = status.requests - (before.requests if before else 0)
    failed = tried - _answers(status) + (_answers(before) if before else 0)
    if tried >= TO_JUDGE_BY and failed >= MANY_FAILED * tried:
        yield f"{failed:,} of the last {counted(tried, 'request')} failed"


def _answers(status: Status) -> int:
    return sum(status.statuses.values())
