"""A function of `tests.pipeline.unruly`, or of this file, called within bounds in a process of its own.

    python -m tests.page.bounded REPORTS LOG TIME MEMORY LOG_BYTES FUNCTION...

What came of each call is a line of JSON on the descriptor REPORTS.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from tests.page.rules import page_of
from tests.pipeline import unruly
from weft.page import Page
from weft.page.function_bounds import FunctionBounds
from weft.page.user_functions import UserFunctions
from weft.workers import kept_state, time_bound


def named(page: Page) -> object:
    """What the test asks for."""
    return (unruly.FAILING | unruly.GOING_ON | OWN)[page.html]()


def write_for_ever() -> None:
    while True:
        os.write(1, b"x" * 1000)


def print_for_ever() -> None:
    while True:
        print("x" * 1000)


def look() -> dict[str, object]:
    """How the process stands."""
    return {
        "folder": os.getcwd(),
        "recursion": sys.getrecursionlimit(),
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "interrupt": signal.getsignal(signal.SIGINT) == signal.SIG_IGN,
        "streams": [os.readlink(f"/proc/self/fd/{number}") for number in range(3)],
        "open": [not stream.closed for stream in (sys.stdout, sys.stderr)],
    }


def say() -> None:
    print("words on stdout", flush=True)
    print("words on stderr", file=sys.stderr, flush=True)


def be_slow() -> str:
    time.sleep(1.5)
    return "slow"


def be_quick() -> str:
    time.sleep(0.01)
    return "quick"


OWN = {one.__name__: one for one in (write_for_ever, print_for_ever, look, say, be_slow, be_quick)}


def main() -> None:
    reports, log, time_s, memory_bytes, log_bytes, *names = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a worker
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (1, 2):
        os.dup2(file, number)
    kept_state.MOST_LOG_BYTES = int(log_bytes)  # type: ignore[misc]  # of a process that has no other use
    time_bound.LIFE_S = 0.5  # type: ignore[misc]
    functions = UserFunctions([f"{__package__}.bounded:named"])
    signs: list[int] = []
    functions.bounds = FunctionBounds(float(time_s), int(memory_bytes), lambda: signs.append(1))
    for name in names:
        made = functions.made_of(page_of(name))
        told = {"items": [json.loads(item) for item in made.items[:3]], "failed": made.failed, "name": name}
        told |= {"grown": functions.bounds.has_grown(), "signs": len(signs), "log": Path(log).stat().st_size}
        os.write(int(reports), json.dumps(told).encode() + b"\n")
    os._exit(0)


if __name__ == "__main__":
    main()
