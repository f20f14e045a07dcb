"""The life of a page, top to bottom; `tests/test_flow.py` follows one and holds this table to it.

| step                         | takes → returns                | in     | function              |
|------------------------------|--------------------------------|--------|-----------------------|
| its turn comes               | → Visit                        | engine | Frontier.next         |
| may it be fetched now?       | Visit → Refusal or None        | engine | Permission.refuses    |
| fetch                        | URL → Fetched or FetchError    | engine | Fetcher.fetch         |
| hand to a worker             | PageJob →                      | engine | ParseWorkers.submit   |
| read: where does it lead?    | Fetched → Leads                | worker | Reader.leads_of       |
| canonical, wanted, not told  | Leads → Processed              | worker | LinkFinder.find       |
| a user's functions           | Fetched → items, Requests      | worker | Extraction.of         |
| what they ask for, likewise  | Requests → Processed           | worker | LinkFinder.ask        |
| keep forms                   | Fetched → Conversions          | worker | Extraction.forms      |
| note for the archive         | Leads → notes                  | worker | NoteTaker.notes_on    |
| store                        | Fetched → Location             | worker | WarcWriter.write      |
| the visit is over            | Processed → rows               | engine | Ledger.finish         |
| links: whose, new, forbidden | FoundLinks → rows              | engine | Ledger.schedule       |
| one commit                   | Batch →                        | engine | Ledger.write          |

An authority is made ready before its first page (`Preparer.prepare`: DNS, robots.txt). The worker's share is below.
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
from weft.store.writer import PageWriter
from weft.types import Fetched, Link, Original, Processed


class PageProcessor:
    """A parse worker's share of the way."""

    def __init__(self, config: CrawlConfig, scope_seeds: list[str], archive: PageWriter, report: Report) -> None:
        self.archive = archive
        self.links = LinkFinder(config, scope_seeds, report)
        self.reader = Reader(config, lambda: report([], []), self.links.skipped)  # the engine hears that it goes on
        self._note_taker = NoteTaker(config)
        self.extraction = Extraction(config)

    def process(
        self,
        link: Link,
        fetched: Fetched,
        original: Original | None,
        *,
        is_parsed: bool,
        may_be_large: bool,
        is_compared: bool = False,
        is_called: bool = False,
        may_be_kept_back: bool = False,
    ) -> Processed:
        """Find where a response leads, and archive it; one whose parsing ended workers is only archived."""
        began = perf_counter()
        leads = self.reader.leads_of(link, fetched, may_be_large=may_be_large) if is_parsed else Leads()
        processed = self.links.find(link, fetched, leads, is_compared=is_compared, may_be_kept_back=may_be_kept_back)
        made = self.extraction.of(link, fetched, is_long=leads.is_long, is_called=is_called) if is_parsed else {}
        processed = self.links.ask(link, processed, made.pop("requests", ()))
        forms = self.extraction.forms(link, fetched) if leads.charset and not leads.is_long else []
        location = self.archive.write(fetched, self._note_taker.notes_on(link, fetched, leads), original, forms)
        return msgspec.structs.replace(processed, location=location, took_s=perf_counter() - began, **made)
