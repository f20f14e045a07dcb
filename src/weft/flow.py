"""The life of a page, top to bottom.

| # | step                     | takes → gives                  | runs in | written in       |
|---|--------------------------|--------------------------------|---------|------------------|
| 1 | canonicalize             | str → URL                      | worker  | url              |
| 2 | may it be scheduled?     | URL → FoundLink or Refusal     | worker  | filter           |
| 3 | is it new?               | FoundLink → NEW, NEARER, KNOWN | engine  | seen             |
| 4 | queue it; await its turn | Link → Visit                   | engine  | frontier, order  |
| 5 | may it be fetched?       | Visit → Visit or Refusal       | engine  | robots, filter   |
| 6 | fetch                    | Visit → Fetched or FetchError  | engine  | dns, fetch       |
| 7 | store                    | Fetched → Location             | worker  | store            |
| 8 | read                     | Fetched → Leads                | worker  | leads, parse     |
| 9 | done: one commit         | Processed → rows; links to 3   | engine  | pipeline.ledger  |

The worker's share, 7, 8, 1 and 2, is below; the engine's, 3 to 6 and 9, is `pipeline.engine`.
"""

from __future__ import annotations

import msgspec

from weft.clock import Clock
from weft.config import CrawlConfig
from weft.filter import LinkSieve, ScopeFilter, standard_chain
from weft.leads import Reader
from weft.store import WarcWriter
from weft.types import Fetched, Kind, Link, Processed


class PageProcessor:
    """A parse worker's share of the way."""

    def __init__(self, config: CrawlConfig, scope_seeds: list[str], archive: WarcWriter) -> None:
        self.archive = archive
        self._reader = Reader(config)
        self._scope = ScopeFilter(config.scope, scope_seeds)
        self._sieve = LinkSieve(standard_chain(config, self._scope, Clock().wall()))

    def process(self, link: Link, fetched: Fetched, *, is_parsed: bool) -> Processed:
        """Archive a response and find where it leads."""
        location = self.archive.write(fetched)
        processed = self.find_links(link, fetched) if is_parsed else Processed()
        return msgspec.structs.replace(processed, location=location)

    def find_links(self, link: Link, fetched: Fetched) -> Processed:
        """The links of a response that the engine should hear of."""
        leads = self._reader.leads_of(link, fetched)
        for url, kind, _ in leads.urls:
            if kind is Kind.SEED:  # where a seed leads is a seed itself
                self.add_seed(url)
        links, refused = self._sieve.sift(link, leads.urls, leads.redirects)
        return Processed(links, None, leads.mime, leads.charset, leads.title, leads.noindex, refused)

    def add_seed(self, url: str) -> None:
        """What belongs to this URL is in scope from now on."""
        self._scope.add_seed(url)
