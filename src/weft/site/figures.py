"""What a site's pages are like in numbers: for the plots beside the findings."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Final

from weft.stats.figures import Count
from weft.stats.tally import Tally, percent_of
from weft.types import Outcome, PageRow
from weft.url import host_of

_WAITS_S: Final = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
_WAIT_NAMES: Final = ("up to 0.1 s", "to 0.2 s", "to 0.5 s", "to 1 s", "to 2 s", "to 5 s", "more")
_SIZES: Final = (10_000, 50_000, 100_000, 500_000, 1_000_000, 5_000_000)
_SIZE_NAMES: Final = ("up to 10 KB", "to 50 KB", "to 100 KB", "to 500 KB", "to 1 MB", "to 5 MB", "more")


class VisitFigures:
    """Counted visit by visit."""

    def __init__(self) -> None:
        self.urls = 0
        self.pages = 0
        self.first_at = math.inf
        self.last_at = -math.inf
        self.hosts: dict[str, int] = {}  # visits of each
        self._statuses = Tally()
        self._waits = [0] * len(_WAIT_NAMES)
        self._sizes = [0] * len(_SIZE_NAMES)

    def add(self, row: PageRow, *, is_html: bool) -> None:
        """Count a visit."""
        self.urls += 1
        self.first_at = min(self.first_at, row.fetched_at)
        self.last_at = max(self.last_at, row.fetched_at)
        self._statuses.add(str(row.status) if row.outcome is Outcome.RESPONSE else row.outcome.value)
        host = host_of(row.url)
        self.hosts[host] = self.hosts.get(host, 0) + 1
        if is_html:
            self.pages += 1
            self._waits[bisect_left(_WAITS_S, row.timing.wait_s)] += 1
            self._sizes[bisect_left(_SIZES, row.body_bytes)] += 1

    def statuses(self) -> list[Count]:
        """Visits by HTTP status or failure."""
        return self._statuses.counts()

    def waits(self) -> list[Count]:
        """Pages by the time to their first byte."""
        return _named(_WAIT_NAMES, self._waits)

    def sizes(self) -> list[Count]:
        """Pages by their size."""
        return _named(_SIZE_NAMES, self._sizes)


def _named(names: tuple[str, ...], counts: list[int]) -> list[Count]:
    total = sum(counts)
    return [Count(name, count, percent_of(count, total)) for name, count in zip(names, counts, strict=True)]
