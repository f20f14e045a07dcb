"""How often what scripts seem to name is there: a script may name a million files that nobody has.

A guess that is not there costs the host a request and counts as no page, so no limit of the user's would end it. Each
host has some that may fail, and more for each that was right: where a name is tried in two folders, half of them fail.
Counted for one run and held in memory, a number a host: an update asks again, and only what it hears itself counts.
"""

from __future__ import annotations

from typing import Final

from weft.filter.reach import is_file
from weft.media.types import HTML_TYPES
from weft.members import GUESS
from weft.types import PageRow
from weft.url import host_of

MAY_FAIL: Final = 500  # guesses of a host, before any was right
MAY_FAIL_PER_RIGHT: Final = 3


class Guesses:
    """The guesses of each host: how many more of them may fail."""

    def __init__(self) -> None:
        self._left: dict[str, int] = {}

    def answered(self, page: PageRow) -> None:
        """An answer came, of whatever kind."""
        if page.kind is GUESS:
            host = host_of(page.url)
            change = MAY_FAIL_PER_RIGHT if _is_right(page) else -1
            self._left[host] = self._left.get(host, MAY_FAIL) + change

    def are_over(self, host: str) -> bool:
        """Whether too many have failed for anything to be expected of the others."""
        return self._left.get(host, MAY_FAIL) <= 0


def _is_right(page: PageRow) -> bool:
    """Not a page that stands for all that is missing."""
    return (200 <= page.status < 300 or page.status == 304) and not (page.mime in HTML_TYPES and is_file(page.url))
