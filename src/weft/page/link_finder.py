"""From what a response leads to, the links that the engine should hear of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import msgspec

from weft.config import CrawlConfig
from weft.filter import LinkSieve, ScopeFilter, SessionRules, Trails, standard_chain, trap_rules
from weft.filter.reported import REMEMBERED_CHARS, REMEMBERED_URLS
from weft.filter.sieve import Report, Told
from weft.filter.strip_query import stripper
from weft.members import GUESS, SEED
from weft.order import ScoringOrder, order_named, wants_of
from weft.page.asked_links import asked_links
from weft.page.leads import Leads
from weft.page.likeness import trail_note
from weft.page.outlinks import MOST_OUTLINKS, OutlinkTaker
from weft.parse.scan import Skipped, reported_urls
from weft.types import Fetched, Kind, Link, Processed
from weft.url import is_own_request

if TYPE_CHECKING:
    from weft.page.request import Request

Lead = tuple[str, Kind, int]  # URL, kind, depth


class LinkFinder:
    """The filters of one worker, and what it was told since it began."""

    def __init__(self, config: CrawlConfig, scope_seeds: list[str], report: Report) -> None:
        self.scope = ScopeFilter(config.scope, scope_seeds)
        self.sessions = SessionRules()
        self._trails = Trails(trap_rules(config.traps), self.sessions)
        self._reported = reported_urls(REMEMBERED_URLS, REMEMBERED_CHARS)
        self._sieve = LinkSieve(
            standard_chain(config, self.scope),
            report,
            self.scope.outside,
            strip=stripper(config.strip_query),
            reported=self._reported,
        )
        order = order_named(config.order)
        scores = isinstance(order, ScoringOrder)
        keeps_graph = config.graph or config.links or wants_of(order).graph
        self._outlinks: OutlinkTaker | None = None
        if scores or keeps_graph:
            self._outlinks = OutlinkTaker(ids=scores, edges=keeps_graph, links=config.links)

    def skipped(self, link: Link) -> Skipped | None:
        """Links of a response that need not be read, as `find` would leave them out; None: it asks for all of them."""
        if self._reported is None or self._outlinks is not None or self._trails.may_walk(link.url):
            return None
        return Skipped(self._reported, link.depth + 1)

    def find(
        self, link: Link, fetched: Fetched, leads: Leads, *, is_compared: bool = False, may_be_kept_back: bool = False
    ) -> Processed:
        """Where a response leads; with `is_compared`, also what it is like.

        Links of one that `may_be_kept_back` may not be taken up by the engine (`pipeline.same_pages`).
        """
        if link.kind is SEED:
            self.scope.widen(leads.urls)
        trail = self._trails.begin(link.url, leads.redirects)
        told = None if self._outlinks is None or is_own_request(link.parts) else Told()
        urls: Iterable[Lead] = leads.all_urls() if leads.is_long else leads.urls
        followed: list[str] = []
        if told is not None and leads.is_long:
            urls = _heard(urls, followed)
        elif told is not None:
            followed = [url for url, kind, _ in leads.urls if kind is not GUESS]
        links, refused, listed = self._sieve.sift(link, urls, leads.redirects, trail, told, may_be_kept_back)
        note = trail_note(link, fetched, leads, trail, self._sieve.passed if is_compared else None)
        outlinks = None
        if self._outlinks is not None and told is not None:
            outlinks = self._outlinks.of(followed, told, leads, link.kind)
        return leads.processed(links, refused, listed, note, outlinks)

    def ask(self, page: Link, processed: Processed, requests: Iterable[Request]) -> Processed:
        """What a response leads to, with what a user's functions ask for."""
        if not requests:
            return processed
        asked, refused = asked_links(page, requests)
        links, more_refused, listed = self._sieve.ask(asked)
        for reason, count in (*processed.refused.items(), *more_refused.items()):
            refused[reason] = refused.get(reason, 0) + count
        return msgspec.structs.replace(
            processed,
            links=processed.links + links,
            refused=refused,
            refused_links=processed.refused_links + listed,
        )


def _heard(leads: Iterable[Lead], urls: list[str]) -> Iterator[Lead]:
    """The links of a page that is read while they are asked for; the first ones are noted."""
    for lead in leads:
        if len(urls) < MOST_OUTLINKS and lead[1] is not Kind.GUESS:
            urls.append(lead[0])
        yield lead
