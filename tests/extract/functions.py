"""A user's functions over an archive, by import path; some of them are not good at it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import weft

BAD = "/bad"  # of the path of pages that the bad ones cannot bear
HELD_FROM = 16

site = weft.Site("http://site.test/")


def number_of(page: weft.Page) -> int:
    """Which page it is."""
    return int(page.document.select("h1")[0].text)


def numbers(page: weft.Page) -> Iterator[dict[str, object]]:
    """Two items a page."""
    for place in range(2):
        yield {"url": page.url, "number": number_of(page), "place": place}


def slow_numbers(page: weft.Page) -> Iterator[dict[str, object]]:
    """The same, so that a test can come in between."""
    time.sleep(0.004)
    yield from numbers(page)


def held_numbers(page: weft.Page) -> Iterator[dict[str, object]]:
    """The same; from a page on it waits for a file, if the environment names one."""
    if number_of(page) >= HELD_FROM:
        wait_for_go(page)
    yield from numbers(page)


def nothing(page: weft.Page) -> None:
    """No item."""


def status(page: weft.Page) -> dict[str, object]:
    """What the row and the headers know."""
    return {"url": page.url, "status": page.status, "type": page.media_type, "at": page.fetched_at.isoformat()}


def fail(page: weft.Page) -> Iterator[dict[str, object]]:
    """Raises on some pages, after an item."""
    yield {"url": page.url}
    if BAD in page.url:
        raise RuntimeError("a fault in a user's function")


def fail_always(page: weft.Page) -> None:
    """Raises on all."""
    raise RuntimeError(f"never {page.url}")


def end(page: weft.Page) -> dict[str, str]:
    """Ends the worker."""
    if BAD in page.url:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"url": page.url}


def fork(page: weft.Page) -> dict[str, str]:
    """Returns twice."""
    if BAD in page.url:
        os.fork()
    return {"url": page.url}


def fork_and_stay(page: weft.Page) -> dict[str, str]:
    """Leaves a process behind that lives on."""
    if BAD in page.url and not os.fork():
        time.sleep(600)
        os._exit(0)
    return {"url": page.url}


def shout(page: weft.Page) -> dict[str, str]:
    """Prints, and closes what it printed to."""
    if not sys.stdout.closed:
        print("out loud", flush=True)
    if BAD in page.url:
        sys.stdout.close()
        sys.stderr.close()
    return {"url": page.url}


def ask(page: weft.Page) -> Iterator[object]:
    """Asks for more pages, in vain."""
    yield {"url": page.url}
    yield weft.Request(page.url + "more")


def wait_for_go(page: weft.Page) -> dict[str, str]:
    """Goes on when a file is there, which the environment names."""
    go = os.environ.get("WEFT_TEST_GO")
    while go is not None and not Path(go).exists():
        time.sleep(0.01)
    return {"url": page.url}


@site.page("/bad/*")
def bad_pages(page: weft.Page) -> dict[str, object]:
    """One item a bad page."""
    return {"bad": number_of(page)}


@site.item
def named(item: dict[str, object]) -> dict[str, object]:
    """Each item has another key."""
    return {**item, "seen": True}
