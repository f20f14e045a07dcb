"""The scope of a crawl grows while it runs: where a seed redirects to is a seed, too.

A page that was read before has links into the new part that were refused as out of scope. So each page row tells by how
many seeds the scope was known when its links were judged, if some of them were out of scope; and when nothing else is
left to do, those judged by fewer seeds are read again from the archive. Not before: of a thousand seeds half may
redirect, one after the other, and each page is to be read again once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from weft.filter import ScopeFilter
from weft.pipeline.rereading import relax_where
from weft.state import Batch, State
from weft.types import PageRow
from weft.url import host_of, origin_of

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

SEEDS = b"scope-seeds"  # in `meta`
GROWN = b"scope-grown"  # in `meta`, until pages are read again: by how many seeds the scope was known when it grew

_encode = msgspec.msgpack.Encoder().encode


class GrowingScope:
    """The seeds that the scope is made of."""

    def __init__(self, state: State, scope: str) -> None:
        self.state = state
        seeds, grown = state.get("meta", SEEDS), state.get("meta", GROWN)
        self.seeds = msgspec.msgpack.decode(seeds, type=list[str]) if seeds else []
        self._known = set(self.seeds)
        self.authorities = {origin_of(seed) for seed in self.seeds}
        self._filter = ScopeFilter(scope, self.seeds)
        self._grown = msgspec.msgpack.decode(grown, type=int) if grown else 0

    def knows(self, url: str) -> bool:
        """Whether it is a seed already."""
        return url in self._known

    def add(self, batch: Batch, seeds: Iterable[str]) -> None:
        """More seeds. By the first ones, with which the crawl begins, nothing grows: no page has come yet."""
        is_new_crawl = not self.seeds
        grows = False
        for url in seeds:
            grows = grows or not self._filter.holds(url, host_of(url))
            self._known.add(url)
            self.authorities.add(origin_of(url))
            self.seeds.append(url)
            self._filter.add_seed(url)
        batch.put("meta", SEEDS, _encode(self.seeds))
        if grows and not is_new_crawl:
            self._grown = len(self.seeds)
            batch.put("meta", GROWN, _encode(self._grown))

    @property
    def has_grown(self) -> bool:
        """Whether pages may have been judged by a smaller scope."""
        return bool(self._grown)

    def was_smaller_for(self, page: PageRow) -> bool:
        """Whether links of the page were refused as out of scope before the scope grew."""
        return 0 < page.outside < self._grown

    def settle_growth(self, batch: Batch) -> None:
        """All of these pages are to be read again."""
        self._grown = 0
        batch.delete("meta", GROWN)


def judge_again(ledger: Ledger) -> bool:
    """Have pages read again whose links were judged by a smaller scope; whether there are any."""
    if not ledger.scope.has_grown:
        return False
    relax_where(ledger, ledger.scope.state, ledger.scope.was_smaller_for)
    batch = ledger.batch()
    ledger.scope.settle_growth(batch)
    ledger.write(batch)
    return bool(ledger.rereads.waiting)
