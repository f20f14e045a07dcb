"""What the log of a crawl says: a line when it begins, one now and then, and one when it has ended.

The lines in between are enough to know how far it is, what limits it and whether something is wrong; one that says
that something is wrong is a warning.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from weft._version import __version__
from weft.cli.exits import Exit
from weft.config import CrawlConfig
from weft.live.status import Limit, Status
from weft.logs import logger
from weft.stats.verdict import counted

_log = logger("crawl")
GB = 1_000_000_000
LITTLE_BYTES = GB  # of disk
SEEDS_NAMED = 3
MANY_FAILED = 0.5  # of the requests between two lines …
TO_JUDGE_BY = 10  # … if there were this many


def say_begin(config: CrawlConfig, folder: Path) -> None:
    """What, where, and which process."""
    seeds = ", ".join(config.seeds[:SEEDS_NAMED]) + (", …" if len(config.seeds) > SEEDS_NAMED else "")
    _log.info(
        "begins: %s (%s) into %s; process %d, weft %s", counted(len(config.seeds), "seed"), seeds, folder.absolute(),
        os.getpid(), __version__,
        extra={"figures": {
            "event": "begin", "seeds": len(config.seeds), "folder": str(folder.absolute()), "pid": os.getpid(),
            "version": __version__,
        }},
    )  # fmt: skip


def say_end(code: int, words: str, figures: dict[str, Any] | None = None) -> None:
    """How it ended, and what goes on with it."""
    known = {one.value: one.name.lower().replace("_", "-") for one in Exit}
    word = known.get(code, "failed")
    level = {Exit.DONE: logging.INFO, Exit.LIMIT: logging.INFO}.get(Exit(code) if code in known else Exit.FAILED)
    if level is None:
        level = logging.WARNING if code > 128 else logging.ERROR
    fields = {"event": "end", "exit_code": code, "exit": word, **(figures or {})}
    _log.log(level, "ended: %s (exit code %d). %s", word, code, words, extra={"figures": fields})


async def keep_saying(read: Callable[[], Status | None], folder: Path, every_s: float) -> None:
    """A line every few seconds until this is cancelled."""
    before: Status | None = None
    while True:
        await asyncio.sleep(every_s)
        status = read()
        if status is not None and status.pid == os.getpid():  # else it is of an earlier run
            wrong = list(troubles(status, before, _free_bytes(folder)))
            level = logging.WARNING if wrong else logging.INFO
            fields = {"event": "progress", **figures(status), "wrong": wrong}
            _log.log(level, "%s", words(status, wrong), extra={"figures": fields})
            before = status


def words(status: Status, wrong: list[str]) -> str:
    """How it goes, in a line."""
    hosts = status.hosts
    parts = [
        f"{duration(status.seconds)} {status.state}",
        f"{counted(status.pages, 'page')}, {status.rates.pages:,.1f}/s, {status.rates.bytes / 1e6:,.2f} MB/s",
        f"{status.queued:,} queued",
        f"hosts {hosts.ready + hosts.busy:,} ready, {hosts.waiting + hosts.preparing:,} waiting, {hosts.left:,} left",
        f"limited by {status.limiter.words}",
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


def duration(seconds: float) -> str:
    """As 1:02:03, or 3d 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return (f"{days}d " if days else "") + f"{hours}:{minutes:02}:{rest:02}"


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


def troubles(status: Status, before: Status | None, free_bytes: int) -> Iterator[str]:
    """What is wrong, or went wrong since the line before."""
    yield from status.warnings
    tried = status.requests - (before.requests if before else 0)
    failed = tried - _answers(status) + (_answers(before) if before else 0)
    if tried >= TO_JUDGE_BY and failed >= MANY_FAILED * tried:
        yield f"{failed:,} of the last {counted(tried, 'request')} failed"
    if died := status.workers_died - (before.workers_died if before else 0):
        yield f"{counted(died, 'parse worker')} died"
    if free_bytes < LITTLE_BYTES:
        yield f"the disk is nearly full: {free_bytes / GB:.2f} GB are free"


def _answers(status: Status) -> int:
    return sum(status.statuses.values())


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free
