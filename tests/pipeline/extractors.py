"""A user's own functions, by import path, whose items go to items.jsonl; some of them are not good at it."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator

from weft.page import Page

PART = "/poison"  # of the path of pages that the bad ones cannot bear


def url(page: Page) -> dict[str, str]:
    """One item: a dict."""
    return {"url": page.url}


def urls_twice(page: Page) -> list[dict[str, object]]:
    """A list of two."""
    return [{"url": page.url, "number": number} for number in range(2)]


def titles(page: Page) -> Iterator[dict[str, str]]:
    """A generator."""
    yield {"url": page.url, "title": page.title}
    for link in page.links:
        yield {"url": page.url, "link": link}


def nothing(page: Page) -> None:
    """No item."""


def text(page: Page) -> str:
    """A str is one item, not one a letter; its line breaks stay within."""
    return f"{page.url}\n\u2028\r\n{page.title}"


def fail(page: Page) -> dict[str, str]:
    """Raises on some pages."""
    if PART in page.url:
        raise RuntimeError("a fault in a user's function")
    return {"url": page.url}


def fail_in_the_middle(page: Page) -> Iterator[dict[str, str]]:
    """Raises after its first item."""
    yield {"url": page.url}
    raise KeyError(f"nothing more on {page.url}")


def no_json(page: Page) -> object:
    """What cannot be written as JSON."""
    return {"page": page}


def leave(page: Page) -> dict[str, str]:
    """Ends the program, or so it thinks."""
    if PART in page.url:
        sys.exit("that was enough")
    return {"url": page.url}


def kill_itself(page: Page) -> dict[str, str]:
    """Ends the worker that it runs in."""
    if PART in page.url:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"url": page.url}


def be_slow(page: Page) -> None:
    """Takes longer than a server on loopback."""
    time.sleep(0.03)


def hang(page: Page) -> None:
    """Never comes to an end."""
    print("hanging", flush=True)
    while True:
        time.sleep(60)
