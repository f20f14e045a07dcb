"""Functions of a user that do all they should not, each on the page that is named after what it does."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

from weft.page import Page

BAD = "/bad/"  # before the name, in a page's path


def loop() -> None:
    while True:
        pass


def sleep() -> None:
    time.sleep(600)


def backtrack() -> None:
    re.match(r"(a+)+$", "a" * 64 + "b")


def loop_in_except() -> None:
    try:
        time.sleep(600)
    finally:
        loop()


def swallow() -> None:
    """Lets nothing interrupt it."""
    while True:
        with suppress(BaseException):
            time.sleep(600)


def grow() -> None:
    kept = []
    while True:
        kept.append(b"x" * 1_000_000)


def grow_at_once() -> None:
    bytearray(10**12)


def yield_for_ever() -> Iterator[int]:
    while True:
        yield 1


def yield_nothing_for_ever() -> Iterator[int]:
    while True:
        if time is None:
            yield 1


def leave() -> None:
    sys.exit(0)


def interrupt() -> None:
    raise KeyboardInterrupt


def give_up() -> Iterator[str]:
    yield "before"
    raise GeneratorExit


class Unspeakable(Exception):
    def __str__(self) -> str:
        time.sleep(600)
        return ""


def raise_unspeakable() -> None:
    raise Unspeakable


class Liar:
    @property  # type: ignore[misc]
    def __class__(self) -> type:
        raise SystemExit("no class")

    def __iter__(self) -> Iterator[object]:
        raise KeyboardInterrupt

    def __repr__(self) -> str:
        raise MemoryError


def lie() -> object:
    return Liar()


def lie_within() -> object:
    return [Liar()]


def recurse() -> None:
    recurse()


def exit_at_once() -> None:
    os._exit(0)


def close_all() -> None:
    os.closerange(3, 1000)


# ── what they do and then go on as if nothing had happened: no call fails ──────────────────────────────────


def fork() -> str:
    if os.fork():
        os.wait()
    return "forked"


def fork_and_stay() -> str:
    if not os.fork():
        time.sleep(600)
    return "forked"


def close_streams() -> str:
    sys.stderr.close()
    sys.stdout.close()
    os.close(2)
    os.close(1)
    os.close(0)
    return "closed"


def replace_streams() -> str:
    sys.stdout = sys.stderr = None
    return "replaced"


def start_thread() -> str:
    threading.Thread(target=time.sleep, args=(600,)).start()
    return "started"


def change_signals() -> str:
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    sys.setrecursionlimit(100_000)
    return "changed"


def change_folder() -> str:
    os.chdir("/")
    return "changed"


def flood() -> str:
    for _ in range(1000):
        print("word " * 200)
        sys.stderr.write("word " * 200)
    return "printed"


FAILING: dict[str, Callable[[], object]] = {
    one.__name__: one
    for one in (
        loop, sleep, backtrack, loop_in_except, swallow, grow, grow_at_once, yield_for_ever, yield_nothing_for_ever,
        leave, interrupt, give_up, raise_unspeakable, lie, lie_within, recurse, exit_at_once, close_all,
    )
}  # fmt: skip
GOING_ON: dict[str, Callable[[], object]] = {
    one.__name__: one
    for one in (
        fork, fork_and_stay, close_streams, replace_streams, start_thread, change_signals, change_folder, flood,
    )
}  # fmt: skip


def misbehave(page: Page) -> object:
    """What the page is named after; on the others it is good."""
    path = page.url.partition("/")[2].partition("/")[2].partition("/")[2]
    if f"/{path}".startswith(BAD):
        return (FAILING | GOING_ON)[path.rpartition("/")[2]]()
    return {"url": page.url}


_KEPT: list[bytes] = []


def hoard(page: Page) -> dict[str, object]:
    """Keeps more and more."""
    _KEPT.append(b"x" * 20_000_000)
    return {"url": page.url, "worker": os.getpid()}
