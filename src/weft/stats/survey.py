"""The one pass over a crawl's rows: everything that is counted visit by visit."""

from __future__ import annotations

import math

from weft.stats.figures import Count
from weft.stats.histogram import LogHistogram
from weft.stats.host_table import HostTable
from weft.stats.tally import Tally, percent_of
from weft.types import Outcome, PageRow

TIME_OUTS = frozenset((Outcome.CONNECT_TIMEOUT, Outcome.RESPONSE_TIMEOUT, Outcome.STALLED, Outcome.TOO_SLOW))
DEEPEST = 1_000  # pages at this depth and below are counted together


class Survey:
    """What the rows tell. Besides the hosts, all of it takes constant memory."""

    def __init__(self) -> None:
        self.visits = 0
        self.pages = 0
        self.redirects = 0
        self.leading_back = 0
        self.not_found = 0
        self.timed_out = 0
        self.failed = 0
        self.revisits = 0
        self.saved_bytes = 0
        self.near = 0
        self.first_at = math.inf
        self.last_at = -math.inf
        self.outcomes = Tally()
        self.media_types = Tally()
        self.charsets = Tally()
        self.truncated = Tally()
        self.unread = Tally()
        self.sizes = LogHistogram()
        self.times = {"connect": LogHistogram(), "wait": LogHistogram(), "receive": LogHistogram()}
        self.hosts = HostTable()
        self._at_depth: dict[int, int] = {}

    def add(self, row: PageRow) -> None:
        """Count a visit."""
        self.visits += 1
        self.first_at = min(self.first_at, row.fetched_at)
        self.last_at = max(self.last_at, row.fetched_at)
        is_page = row.outcome is Outcome.RESPONSE and 200 <= row.status < 300
        self.hosts.add(row, is_page=is_page)
        if row.outcome is Outcome.RESPONSE:
            self.outcomes.add(str(row.status), row.body_bytes)
            self.redirects += 300 <= row.status < 400
            self.leading_back += row.leads_back
            self.not_found += row.status == 404
        else:
            self.outcomes.add(row.outcome.value, row.body_bytes)
            self.failed += 1
            self.timed_out += row.outcome in TIME_OUTS
        if is_page:
            self._add_page(row)
        if row.status:
            self._add_times(row)
        if row.truncated:
            self.truncated.add(row.truncated)
        if row.unread is not None:
            self.unread.add(row.unread)
        if row.original is not None:
            self.revisits += 1
            self.saved_bytes += row.body_bytes
        self.near += bool(row.near)

    def depths(self) -> list[Count]:
        """Pages at each depth, from the seeds down."""
        return [
            Count(str(depth) if depth < DEEPEST else f"{DEEPEST} and more", count, percent_of(count, self.pages))
            for depth, count in sorted(self._at_depth.items())
        ]

    def _add_page(self, row: PageRow) -> None:
        self.pages += 1
        self.media_types.add(row.mime, row.body_bytes)
        if row.charset:
            self.charsets.add(row.charset)
        self.sizes.add(row.body_bytes)
        depth = min(row.depth, DEEPEST)
        self._at_depth[depth] = self._at_depth.get(depth, 0) + 1

    def _add_times(self, row: PageRow) -> None:
        timing = row.timing
        if timing.connect_s:  # else a kept connection was used
            self.times["connect"].add(timing.connect_s)
        self.times["wait"].add(timing.wait_s)
        self.times["receive"].add(timing.receive_s)
