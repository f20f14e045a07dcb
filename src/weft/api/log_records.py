"""What the log says of a crawl as a whole: one record when it begins, one when it has ended.

They go to the logger `weft.crawl`, from the command line and from programs alike. The `figures` of a record have the
same as data.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft._version import __version__
from weft.live.summary import Summary
from weft.logs import logger
from weft.stats.verdict import counted

_log = logger("crawl")
SEEDS_NAMED = 3
# How bad an ending is, by its name; any other is an error.
_LEVELS = {
    "done": logging.INFO,
    "limit": logging.INFO,
    "interrupted": logging.WARNING,
    "hung-up": logging.WARNING,
    "terminated": logging.WARNING,
}


def log_begin(what: str, folder: Path) -> None:
    """What, where, and which process."""
    where, pid = folder.absolute(), os.getpid()
    figures = {"event": "begin", "what": what, "folder": str(where), "pid": pid, "version": __version__}
    _log.info("begins: %s into %s; process %d, weft %s", what, where, pid, __version__, extra={"figures": figures})


def seeds_in_words(seeds: Sequence[str]) -> str:
    """How many, and the first ones."""
    return (
        f"{counted(len(seeds), 'seed')} ({', '.join(seeds[:SEEDS_NAMED])}{', …' if len(seeds) > SEEDS_NAMED else ''})"
    )


def log_end(
    name: str,
    words: str,
    figures: dict[str, Any] | None = None,
    *,
    exit_code: int | None = None,
    level: int | None = None,
    error: BaseException | None = None,
) -> None:
    """How it ended, and what goes on with it. A program has no exit code; an unexpected error has a traceback."""
    fields = {"event": "end", "exit": name, **(figures or {})}
    with_code = ""
    if exit_code is not None:
        fields["exit_code"] = exit_code
        with_code = f" (exit code {exit_code})"
    _log.log(
        level or _LEVELS.get(name, logging.ERROR),
        "ended: %s%s. %s",
        name,
        with_code,
        words,
        exc_info=error,
        extra={"figures": fields},
    )


def end_figures(summary: Summary) -> dict[str, Any]:
    """Those of a run that the record of its end has."""
    return {
        "pages": summary.pages,
        "bytes": summary.bytes,
        "queued": summary.queued,
        "elapsed_s": summary.seconds,
    }


def end_words(summary: Summary, last_word: str) -> str:
    """How much there is, and how it ended."""
    return f"{counted(summary.pages, 'page')} in {summary.seconds:,.1f} s. {last_word}"
