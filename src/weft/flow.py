"""The life of a page, top to bottom.

| # | step                     | takes → gives                  | runs in | written in       |
|---|--------------------------|--------------------------------|---------|------------------|
| 1 | canonicalize             | str → URL                      | worker  | url              |
| 2 | may it be scheduled?     | URL → FoundLink or Refusal     | worker  | filter           |
| 3 | is it new?               | FoundLink → NEW, NEARER, KNOWN | engine  | seen             |
| 4 | queue it; await its turn | Link → Visit                   | engine  | frontier, order  |
| 5 | may it be fetched?       | Visit → Visit or Refusal       | engine  | robots, filter   |
| 6 | fetch                    | Visit → Fetched or FetchError  | engine  | dns, fetch       |
| 7 | read                     | Fetched → Leads                | worker  | leads, parse     |
| 8 | store                    | Fetched → Location             | worker  | notes, store     |
| 9 | done: one commit         | Processed → rows; links to 3   | engine  | pipeline.ledger  |

The worker's share, 7, 8, 1 and 2, is below; the engine's, 3 to 6 and 9, is `pipeline.engine`.
"""

from __future__ import annotations

from time import perf_counter

import msgspec

from weft.config import CrawlConfig
from weft.filter.sieve import Report
from weft.page.extract import Extraction
from weft.page.leads import Leads, Reader
from weft.page.link_finder import LinkFinder
from weft.page.notes import NoteTaker
from weft.store import WarcWriter
from weft.types import Fetched, Link, Original, Processed


class PageProcessor:
    """A parse worker's share of the way."""

    def __init__(self, config: CrawlConfig, scope_seeds: list[str], archive: WarcWriter, report: Report) -> None:
        self.archive = archive
        self.reader = Reader(config, lambda: report([], []))  # the engine hears that it goes on
        self.links = LinkFinder(config, scope_seeds, report)
        self._note_taker = NoteTaker(config)
        self._extraction = Extraction(config)

    def process(
        self,
        link: Link,
        fetched: Fetched,
        original: Original | None,
        *,
        is_parsed: bool,
        may_be_large: bool,
        is_compared: bool = False,
    ) -> Processed:
        """Find where a response leads, and archive it; one whose parsing ended workers is only archived."""
        began = perf_counter()
        leads = self.reader.leads_of(link, fetched, may_be_large=may_be_large) if is_parsed else Leads()
        processed = self.links.find(link, fetched, leads, is_compared=is_compared and is_parsed)
        made = self._extraction.of(link, fetched, is_long=leads.is_long) if is_parsed else {}
        cleaned = self._extraction.cleaned(link, fetched) if leads.charset and not leads.is_long else None
        location = self.archive.write(fetched, self._note_taker.notes_on(link, fetched, leads), original, cleaned)
        return msgspec.structs.replace(processed, location=location, took_s=perf_counter() - began, **made)
