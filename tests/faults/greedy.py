"""A user's own functions that need more memory than there is."""

from __future__ import annotations

import resource

from weft.page import Page

PART = "/greedy"  # of the path of pages on which they need it
MIB = 1024 * 1024


def cannot_allocate(page: Page) -> dict[str, str]:
    """What Python says when there is no memory."""
    if PART in page.url:
        raise MemoryError
    return {"url": page.url}


def allocate_all(page: Page) -> dict[str, object]:
    """Take memory until there is none, in a process that may have little more than it has."""
    if PART not in page.url:
        return {"url": page.url}
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_virtual_bytes() + 64 * MIB, hard))
    held = []
    while True:
        held.append(bytearray(8 * MIB))


def exhaust_for_good(page: Page) -> dict[str, str]:
    """From now on this worker can allocate next to nothing, whatever it does."""
    if PART in page.url:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_virtual_bytes(), hard))
    return {"url": page.url, "long": "x" * (8 * MIB if PART in page.url else 0)}


def _virtual_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()
