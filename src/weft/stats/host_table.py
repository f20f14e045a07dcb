"""Figures of each host, in columns: about 200 bytes a host, so that a million of them can be told apart."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from heapq import nsmallest

from weft.stats.figures import Host, Hosts
from weft.stats.tally import percent_of
from weft.types import Outcome, PageRow
from weft.url import host_of

# The mean of fewer answers says little about a host.
ANSWERS_TO_JUDGE = 3


class HostTable:
    """What came from each host."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._visits = array("Q")
        self._pages = array("Q")
        self._bytes = array("Q")
        self._answers = array("Q")
        self._wait_s = array("d")
        self._failed = array("Q")
        self._reasons: dict[int, Counter[Outcome]] = {}  # only of hosts with failures

    def __len__(self) -> int:
        return len(self._place)

    def add(self, row: PageRow, *, is_page: bool) -> None:
        """Count a visit."""
        place = self._place_of(host_of(row.url))
        self._visits[place] += 1
        self._pages[place] += is_page
        self._bytes[place] += row.body_bytes
        if row.status:
            self._answers[place] += 1
            self._wait_s[place] += row.timing.wait_s
        if row.outcome is not Outcome.RESPONSE:
            self._failed[place] += 1
            self._reasons.setdefault(place, Counter())[row.outcome] += 1

    def figures(self, most: int) -> Hosts:
        """The first `most` hosts of each kind."""
        names = list(self._place)
        total_pages = sum(self._pages)

        def first(places: Iterable[int], value: Callable[[int], float]) -> list[Host]:
            chosen = nsmallest(most, (place for place in places if value(place)), lambda i: (-value(i), names[i]))
            return [self._host(names[place], place, total_pages) for place in chosen]

        everywhere = range(len(names))
        judged = (place for place in everywhere if self._answers[place] >= ANSWERS_TO_JUDGE)
        return Hosts(
            by_pages=first(everywhere, self._pages.__getitem__),
            by_bytes=first(everywhere, self._bytes.__getitem__),
            slowest=first(judged, self._mean_wait_s),
            failing=first(self._reasons, self._failed.__getitem__),
        )

    def _place_of(self, host: str) -> int:
        place = self._place.get(host)
        if place is None:
            place = self._place[host] = len(self._place)
            for column in (self._visits, self._pages, self._bytes, self._answers, self._failed):
                column.append(0)
            self._wait_s.append(0.0)
        return place

    def _mean_wait_s(self, place: int) -> float:
        answers = self._answers[place]
        return self._wait_s[place] / answers if answers else 0.0

    def _host(self, name: str, place: int, total_pages: int) -> Host:
        reasons = self._reasons.get(place)
        return Host(
            name=name,
            visits=self._visits[place],
            pages=self._pages[place],
            percent=percent_of(self._pages[place], total_pages),
            bytes=self._bytes[place],
            mean_wait_s=round(self._mean_wait_s(place), 6),
            failed=self._failed[place],
            main_failure=min(reasons, key=lambda outcome: (-reasons[outcome], outcome)) if reasons else "",
        )
