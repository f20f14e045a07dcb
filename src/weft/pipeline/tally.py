"""What is counted when a visit ends, and taken back when its page returns to the queue."""

from __future__ import annotations

from weft.pipeline.guesses import Guesses
from weft.state import Batch, State
from weft.state.keys import host_key
from weft.stats import Counters
from weft.types import Outcome, PageRow, Processed, Refusal
from weft.url import host_of


class Tally:
    """Counts into a crawl's counters, and where there is a budget, how many visits each host has had."""

    def __init__(self, state: State, counters: Counters, *, counts_visits: bool) -> None:
        self._state = state
        self._counters = counters
        self.counts_visits = counts_visits
        self._visits_in_batch: dict[str, int] = {}
        self.guesses = Guesses()

    def settle(self) -> None:
        """The batch is written."""
        self._visits_in_batch.clear()

    def visits_of(self, host: str) -> int:
        """How many visits to a host have ended."""
        if host in self._visits_in_batch:
            return self._visits_in_batch[host]
        return int.from_bytes(self._state.get("visits", host_key(host)) or b"", "big")

    def visited(self, batch: Batch, host: str, visits: int = 1) -> None:
        """A visit to a host has ended, or is to be made again."""
        if self.counts_visits:
            count = self._visits_in_batch[host] = max(0, self.visits_of(host) + visits)
            batch.put("visits", host_key(host), count.to_bytes(4, "big"))

    def answer(self, page: PageRow, times: int = 1) -> None:
        """What kind of response it was."""
        if page.outcome is Outcome.RESPONSE:
            self.guesses.answered(page, times)
            self._counters.pages += times * (200 <= page.status < 300)
            self._counters.redirects += times * (300 <= page.status < 400)

    def processed(self, page: PageRow, processed: Processed) -> None:
        """What the worker made of it, and how long everything took."""
        counters, timing = self._counters, page.timing
        counters.revisits += page.original is not None
        counters.items_failed += processed.items_failed
        if timing.connect_s:
            counters.count_stage("connect", timing.connect_s)
        counters.count_stage("wait", timing.wait_s)
        counters.count_stage("receive", timing.receive_s)
        counters.count_stage("process", processed.took_s)
        self.refused(processed.refused)

    def refused(self, refused: dict[Refusal, int]) -> None:
        """Links that the filters held back."""
        for refusal, times in refused.items():
            self._counters.count_refusal(refusal, times)

    def take_back(self, batch: Batch, page: PageRow) -> None:
        """The page is visited again."""
        self._counters.revisits -= page.original is not None
        self._counters.near_duplicates -= bool(page.near)
        if page.outcome is not Outcome.RESPONSE:
            self._counters.failed[page.outcome] -= 1
        self.answer(page, -1)
        self.visited(batch, host_of(page.url), -1)
