"""What is counted when a visit ends, and taken back when its page returns to the queue."""

from __future__ import annotations

from weft.members import RESPONSE
from weft.pipeline.guesses import Guesses
from weft.state import Batch, State
from weft.state.keys import host_key
from weft.stats import Counters, Span
from weft.types import PageRow, Processed, Refusal, Visit
from weft.url import host_of


class Tally:
    """Counts into a crawl's counters, and where there is a budget, how many visits each host has had."""

    def __init__(self, state: State, counters: Counters, *, counts_visits: bool) -> None:
        self._state = state
        self._counters = counters
        self.counts_visits = counts_visits
        self._visits_in_batch: dict[str, int] = {}
        # Visits that are not counted yet, by URL id, and how many each host has; only where there is a budget.
        # Filled by begins, emptied by visited; bound: visits under way.
        self._begun: set[bytes] = set()
        self._begun_of: dict[str, int] = {}
        self.guesses = Guesses()
        self._spans: tuple[Span, Span, Span] | None = None  # of what each page counts for, made for the first one

    def settle(self) -> None:
        """The batch is written."""
        self._visits_in_batch.clear()

    def visits_of(self, host: str) -> int:
        """How many visits to a host have ended, or had a first try that failed."""
        if host in self._visits_in_batch:
            return self._visits_in_batch[host]
        return int.from_bytes(self._state.get("visits", host_key(host)) or b"", "big")

    def begins(self, visit: Visit, budget: int) -> bool:
        """A visit is about to be made; False if its host has had as many as it may. A further try was counted."""
        if visit.link.attempts or visit.link.again:
            return True
        begun = self._begun_of.get(visit.host, 0)
        if self.visits_of(visit.host) + begun >= budget:
            return False
        self._begun.add(visit.id)
        self._begun_of[visit.host] = begun + 1
        return True

    def visited(self, batch: Batch, visit: Visit, *, counts: bool = True) -> None:
        """A visit has ended, or is tried again: in either case it counts from now on, on disk, too."""
        if not self.counts_visits:
            return
        if visit.id in self._begun:
            self._begun.remove(visit.id)
            self._begun_of[visit.host] -= 1
            if not self._begun_of[visit.host]:
                del self._begun_of[visit.host]
        if counts and not (visit.link.attempts or visit.link.again):
            self.count(batch, visit.host)

    def count(self, batch: Batch, host: str, visits: int = 1) -> None:
        """A host has had a visit, or has one less."""
        if self.counts_visits:
            count = self._visits_in_batch[host] = max(0, self.visits_of(host) + visits)
            batch.put("visits", host_key(host), count.to_bytes(4, "big"))

    def came(self, page: PageRow, counts: PageRow) -> None:
        """What a visit has brought, and the row that counts, which an update may have from before."""
        if page.outcome is RESPONSE:
            self.guesses.answered(page)
        self.answer(counts)

    def answer(self, page: PageRow, times: int = 1) -> None:
        """What kind of response it was."""
        if page.outcome is RESPONSE:
            if 200 <= page.status < 300:
                self._counters.pages += times
            elif 300 <= page.status < 400:
                self._counters.redirects += times

    def processed(self, page: PageRow, processed: Processed) -> None:
        """What the worker made of it, and how long everything took."""
        counters, timing = self._counters, page.timing
        if page.original is not None:
            counters.revisits += 1
        if processed.items_failed:
            counters.items_failed += processed.items_failed
        if timing.connect_s:
            counters.count_stage("connect", timing.connect_s)
        if self._spans is None:
            self._spans = counters.span_of("wait"), counters.span_of("receive"), counters.span_of("process")
        wait, receive, process = self._spans
        wait.times += 1
        wait.total_s += timing.wait_s
        receive.times += 1
        receive.total_s += timing.receive_s
        process.times += 1
        process.total_s += processed.took_s
        if processed.refused:
            self.refused(processed.refused)

    def refused(self, refused: dict[Refusal, int]) -> None:
        """Links that the filters held back."""
        for refusal, times in refused.items():
            self._counters.count_refusal(refusal, times)

    def take_back(self, batch: Batch, page: PageRow) -> None:
        """The page is visited again."""
        self._counters.revisits -= page.original is not None
        self._counters.near_duplicates -= bool(page.near)
        if page.outcome is not RESPONSE:
            self._counters.failed[page.outcome] -= 1
        self.answer(page, -1)
        self.count(batch, host_of(page.url), -1)
