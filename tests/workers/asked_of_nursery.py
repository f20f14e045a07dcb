"""A module for processes that tests have forked: says what it finds, as a worker that has only just begun."""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

from weft.workers.process import end_with


def main() -> None:
    """What the rest of the order asks for, after the socket and the parent."""
    match sys.argv[3:]:
        case ["look"]:
            print(json.dumps(_found()), flush=True)
        case ["fail"]:
            raise LookupError("this one fails")
        case ["exit", code]:
            sys.exit(int(code))
        case ["exit in words", words]:
            sys.exit(words)
        case ["interrupt"]:
            raise KeyboardInterrupt
        case ["end in order"]:
            atexit.register(print, "at exit")
            print("said", end=" ")
        case ["wait"]:
            end_with(int(sys.argv[2]))
            signal.pause()


def _found() -> dict[str, object]:
    return {
        "parent": os.getppid(),
        "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd") if _is_open(int(name))),
        "threads": threading.active_count(),
        "collects garbage": gc.isenabled(),
        "main": sys.modules["__main__"].__spec__.name,  # type: ignore[union-attr]
        "orig_argv": sys.orig_argv,
        "path": sys.path,
        "variable": os.environ.get("ASKED"),
        "has its own clock": time.clock_gettime(time.pthread_getcpuclockid(threading.get_ident())) > 0,
        "name": Path("/proc/self/comm").read_text(),
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())),
        "stdin": sys.stdin.read(),
    }


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:  # it was that of the list itself
        return False
    return True


if __name__ == "__main__":
    main()
