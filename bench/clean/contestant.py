"""The process that cleaners run in: `python -m bench.clean.contestant MODULE JOB.json`, then a line for each turn.

It knows only Python's own library, because it also runs in the peers' environment. The job has the pages and the rules
that all should apply; `MODULE.cleaners(job)` gives the cleaners by name. A turn says which one is to clean all pages,
for how long at least, and where to leave what came of them.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

CleanText = Callable[[str], str]


class JobRules(TypedDict):
    """What a preset does, as far as the peers can do the same."""

    kill: list[str]
    unwrap: list[str]


class Job(TypedDict):
    """What is to be cleaned, and how."""

    pages: list[str]
    rules: dict[str, JobRules]  # by preset


class Turn(TypedDict):
    """One cleaner's turn."""

    cleaner: str
    seconds: float
    keep_in: str


class Told(TypedDict):
    """What it took."""

    pages: int
    seconds: float
    cpu_s: float


def take_turn(clean: CleanText, pages: list[str], at_least_s: float) -> tuple[Told, list[str]]:
    """Clean all pages, again and again until the time is over; what came of them the last time."""
    done, outputs = 0, []
    began, cpu_began = time.perf_counter(), time.process_time()
    while not done or time.perf_counter() - began < at_least_s:
        outputs = [clean(page) for page in pages]
        done += len(pages)
    return Told(pages=done, seconds=time.perf_counter() - began, cpu_s=time.process_time() - cpu_began), outputs


def main() -> None:
    """Take turns until the input ends."""
    module, job_file = sys.argv[1:]
    warnings.simplefilter("ignore")  # BeautifulSoup has something to say about XHTML
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    job: Job = json.loads(Path(job_file).read_text())
    cleaners: dict[str, CleanText] = importlib.import_module(module).cleaners(job)
    print(json.dumps(sorted(cleaners)), flush=True)
    for line in sys.stdin:
        turn: Turn = json.loads(line)
        told, outputs = take_turn(cleaners[turn["cleaner"]], job["pages"], turn["seconds"])
        Path(turn["keep_in"]).write_text(json.dumps(outputs))
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
