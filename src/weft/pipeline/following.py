"""What the program that iterates over a crawl asks for: `Crawl.follow`.

    program ──▶ canonical, scope, filters ──▶ Ledger.schedule ──▶ one commit

The same way as that of a page's links, in the engine's process. When it returns, the request is in the queue, and a
kill does not take it. Asked for again, after the page came a second time, it is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.config import CrawlConfig
from weft.errors import BadUrl
from weft.filter import LinkSieve, ScopeFilter, standard_chain
from weft.page.asked_links import asked_link
from weft.pipeline.context import Context
from weft.pipeline.ledger import Ledger
from weft.types import Link, PageRow
from weft.url import canonicalize, scheme_of

if TYPE_CHECKING:
    from weft.page.request import Request


class Following:
    """The filters of one run, for its program."""

    def __init__(self, context: Context, ledger: Ledger) -> None:
        self._config: CrawlConfig = context.config
        self._loop = context.loop
        self._ledger = ledger
        self._scope = ScopeFilter(self._config.scope)
        self._known_seeds = 0
        self._sieve = LinkSieve(standard_chain(self._config, self._scope))

    def follow(self, request: Request, depth: int, page: PageRow | None) -> None:
        """Queue a request, if the crawl's rules let it pass; a refusal is counted. BadUrl if it cannot be asked for."""
        url = canonicalize(request.url, page.url if page is not None else None)
        if request.parts is not None and not scheme_of(url).is_web:
            raise BadUrl(f"{url!r} cannot be asked for by {request.method}, nor with headers")
        self._know_seeds()
        found_on = Link("", depth - 1)
        if page is not None:
            found_on = Link(page.url, depth - 1, hops=page.hops, seed=page.seed)
        link = asked_link(found_on, url, request)
        found, refused, listed = self._sieve.ask([link])
        batch = self._ledger.batch()
        self._ledger.tally.refused(refused)
        self._ledger.list_refused(batch, listed)
        self._ledger.schedule(batch, found)
        self._ledger.write(batch)
        self._loop.pump_soon()

    def _know_seeds(self) -> None:
        """The scope grows while the crawl runs: where seeds lead."""
        seeds = self._ledger.scope.seeds
        for seed in seeds[self._known_seeds :]:
            self._scope.add_seed(seed)
        self._known_seeds = len(seeds)
