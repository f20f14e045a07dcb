"""Which URLs a worker has reported, and at which depth: a page's menu is on every page, and need not travel twice.

`parse/_reported.h` is the same in C, where a page's links are looked for before they are strings.
"""

from __future__ import annotations

from typing import Final, Protocol

# Of each of two generations: it is over when it has as many. Both together take 6 MB, in Python 12.
REMEMBERED_URLS: Final = 30_000
REMEMBERED_CHARS: Final = 4 * 1024 * 1024


class Reported(Protocol):
    """What both are."""

    def depth_of(self, url: str, /) -> int | None:
        """The depth at which a URL was reported last; None if it was not, or is forgotten."""

    def add(self, url: str, depth: int, /) -> None:
        """A URL is reported at this depth."""


class ReportedUrls:
    """In Python."""

    def __init__(self, most_urls: int = REMEMBERED_URLS, most_chars: int = REMEMBERED_CHARS) -> None:
        self._most_urls = most_urls
        self._most_chars = most_chars
        self._young: dict[str, int] = {}
        self._old: dict[str, int] = {}
        self._chars = 0  # of the young

    def depth_of(self, url: str, /) -> int | None:
        """The depth at which a URL was reported last; None if it was not, or is forgotten."""
        depth = self._young.get(url)
        return self._old.get(url) if depth is None else depth

    def add(self, url: str, depth: int, /) -> None:
        """A URL is reported at this depth."""
        if url not in self._young:
            self._chars += len(url)
        self._young[url] = depth
        if len(self._young) >= self._most_urls or self._chars >= self._most_chars:
            self._old, self._young, self._chars = self._young, {}, 0
