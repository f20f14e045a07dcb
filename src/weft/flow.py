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

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.extract import Extraction
from weft.filter import LinkSieve, ScopeFilter, standard_chain
from weft.filter.sieve import Report
from weft.leads import Leads, Reader
from weft.notes import NoteTaker
from weft.store import WarcWriter
from weft.types import Fetched, Kind, Link, Original, Processed


class PageProcessor:
    """A parse worker's share of the way."""

    def __init__(self, config: CrawlConfig, scope_seeds: list[str], archive: WarcWriter, report: Report) -> None:
        self.archive = archive
        self.reader = Reader(config)
        self.scope = ScopeFilter(config.scope, scope_seeds)
        self._note_taker = NoteTaker(config)
        self._extraction = Extraction(config)
        self._sieve = LinkSieve(standard_chain(config, self.scope, Clock().wall()), report, self.scope.outside)

    def process(
        self, link: Link, fetched: Fetched, original: Original | None, *, is_parsed: bool, may_be_large: bool
    ) -> Processed:
        """Find where a response leads, and archive it; one whose parsing ended workers is only archived."""
        began = perf_counter()
        leads = self.reader.leads_of(link, fetched, may_be_large=may_be_large) if is_parsed else Leads()
        self._sieve.learn(link.url, leads.title, leads.urls, fetched.body_bytes)
        processed = self.find_links(link, leads)
        made = self._extraction.of(link, fetched) if is_parsed else {}
        cleaned = self._extraction.cleaned(link, fetched) if self._extraction.cleans and leads.charset else None
        location = self.archive.write(fetched, self._note_taker.notes_on(link, fetched, leads), original, cleaned)
        return msgspec.structs.replace(processed, location=location, took_s=perf_counter() - began, **made)

    def find_links(self, link: Link, leads: Leads) -> Processed:
        """Where a response leads, as far as the engine should hear of it."""
        if link.kind is Kind.SEED:
            self.scope.widen(leads.urls)
        links, refused, listed = self._sieve.sift(link, leads.urls, leads.redirects)
        return Processed(links, None, leads.mime, leads.charset, leads.title, leads.noindex, refused, listed)
