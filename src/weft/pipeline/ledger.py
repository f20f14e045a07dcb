"""How each visit ends: as one batch of rows, written in one section without await.

    finished   its row leaves the queue, its page row comes, the WARC's end moves, its links go into seen and queue
    refused    its row leaves the queue
    retried    its row moves to the end of its host's queue
    relaxed    a page got nearer to the seeds: its links are scheduled again from the archive

**Depth is relaxed.** Hosts run at different speeds, so a URL may first be found on a longer way. Found again on a
shorter one, its depth is lowered; if its page is done already, a `relax` row asks for its links to be read again
from the archive. Otherwise a depth-limited crawl would miss pages.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

import msgspec

from weft.clock import Clock
from weft.frontier import Frontier
from weft.seen import Found, Seen
from weft.state import Batch, State
from weft.stats import Counters
from weft.store import Archive
from weft.types import Fetched, FoundLink, Kind, Link, Outcome, Page, Processed, Refusal, Visit
from weft.url import host_of

NO_PAGE = b""

_encode = msgspec.msgpack.Encoder().encode
_decode_page = msgspec.msgpack.Decoder(Page).decode
_decode_counters = msgspec.msgpack.Decoder(Counters).decode
_decode_depth = msgspec.msgpack.Decoder(int | None).decode
_decode_seeds = msgspec.msgpack.Decoder(list[str]).decode


def load_counters(state: State) -> Counters:
    """The counters as of the last commit."""
    row = state.get("meta", b"counters")
    return _decode_counters(row) if row else Counters()


class Ledger:
    """The only writer of page rows; it joins what seen, frontier and archive add to a batch."""

    def __init__(
        self,
        state: State,
        seen: Seen,
        frontier: Frontier,
        archive: Archive,
        counters: Counters,
        clock: Clock,
        *,
        max_depth: int | None,
        counts_visits: bool = False,
    ) -> None:
        self._state = state
        self._seen = seen
        self._frontier = frontier
        self._archive = archive
        self._clock = clock
        self._max_depth = max_depth
        self._counts_visits = counts_visits
        self._visits_in_batch: dict[str, int] = {}
        self.counters = counters
        seeds = state.get("meta", b"scope-seeds")
        self.scope_seeds = _decode_seeds(seeds) if seeds else []
        self._known_seeds = set(self.scope_seeds)
        # Pages whose links are to be read again. Filled by commits, emptied by relaxed; bound: pages of the crawl,
        # 16 bytes each.
        self.to_relax: deque[bytes] = deque(url_id for url_id, _ in state.scan("relax"))
        self._relax_in_batch: list[bytes] = []
        self._done_in_batch: set[bytes] = set()

    def batch(self) -> Batch:
        """A batch for the methods below, to be given to `write`."""
        return self._state.batch()

    def write(self, batch: Batch) -> None:
        """Commit: first the disk, then memory follows."""
        self.counters.sequence = self._frontier.sequence
        batch.put("meta", b"counters", _encode(self.counters))
        self._frontier.seal(batch)
        self._state.write(batch)
        self._frontier.settle()
        self._seen.settle()
        self.to_relax.extend(self._relax_in_batch)
        self._relax_in_batch.clear()
        self._done_in_batch.clear()
        self._visits_in_batch.clear()

    def schedule(self, batch: Batch, found: Iterable[FoundLink]) -> list[str]:
        """Queue the links that are new. Gives those that widen the scope: targets of redirected seeds."""
        widening = []
        for url_id, host, link in ((f.id, f.host, f.link) for f in found):
            news = self._seen.add(batch, url_id, link.depth)
            if news is Found.NEW:
                self._frontier.put(batch, host, link)
                self.counters.queued += 1
                self.counters.seen += 1
            elif news is Found.NEARER and self._max_depth is not None and self._is_done(url_id):
                self._relax(batch, url_id)
            if link.kind is Kind.SEED and link.url not in self._known_seeds:
                self._known_seeds.add(link.url)
                self.scope_seeds.append(link.url)
                widening.append(link.url)
        if widening:
            batch.put("meta", b"scope-seeds", _encode(self.scope_seeds))
        return widening

    def finish(
        self,
        batch: Batch,
        visit: Visit,
        outcome: Outcome,
        fetched: Fetched | None = None,
        processed: Processed | None = None,
        parsed_at_depth: int = 0,
    ) -> list[str]:
        """A visit is over: with a response, or given up. Gives the URLs that widen the scope."""
        self._frontier.finish(batch, visit)
        self.counters.queued -= 1
        if outcome is not Outcome.RESPONSE:
            self.counters.count_failure(outcome)
        elif fetched is not None:
            self.counters.pages += 200 <= fetched.status < 300
            self.counters.redirects += 300 <= fetched.status < 400
        depth = self.depth(visit.id, visit.link.depth)
        page = _page(visit, depth, outcome, fetched, processed, self._clock.wall())
        batch.put("page", visit.id, _encode(page))
        self._done_in_batch.add(visit.id)
        if self._counts_visits:
            count = self._visits_in_batch[visit.host] = self.visits_of(visit.host) + 1
            batch.put("visits", visit.host.encode(), count.to_bytes(4, "big"))
        if processed is None:
            return []
        if processed.location is not None:
            self._archive.commit(batch, processed.location, visit.id)
        for refusal, times in processed.refused.items():
            self.counters.count_refusal(refusal, times)
        if depth < parsed_at_depth:
            self._relax(batch, visit.id)
        return self.schedule(batch, processed.links)

    def keep_answer(self, batch: Batch, processed: Processed) -> None:
        """A DNS answer was archived. It belongs to no page; lost in a power cut, it is not asked for again."""
        if processed.location is not None:
            self._archive.commit(batch, processed.location, NO_PAGE)

    def refuse(self, batch: Batch, visit: Visit, refusal: Refusal) -> None:
        """A visit is not made after all."""
        self._frontier.finish(batch, visit)
        self.counters.queued -= 1
        self.counters.count_refusal(refusal)

    def retry(self, batch: Batch, visit: Visit, wait_s: float) -> None:
        """A visit failed, and another try is worth it."""
        self._frontier.retry(batch, visit, wait_s=wait_s)
        self.counters.retries += 1

    def relaxed(self, batch: Batch, url_id: bytes, at_depth: int, processed: Processed | None) -> None:
        """A page's links were read again for this depth."""
        self.counters.relaxed += 1
        if processed is not None:
            self.schedule(batch, processed.links)
        if self.depth(url_id, at_depth) < at_depth:
            self._relax(batch, url_id)  # it came nearer once more meanwhile
        else:
            batch.delete("relax", url_id)

    def visit_again(self, batch: Batch, url_ids: Iterable[bytes]) -> None:
        """Pages whose records a power cut took return to the queue."""
        for url_id in url_ids:
            if (page := self.page(url_id)) is not None:
                batch.delete("page", url_id)
                batch.delete("relax", url_id)  # its links will be read at the smallest depth anyway
                if url_id in self.to_relax:
                    self.to_relax.remove(url_id)
                self._uncount(batch, page)
                link = Link(page.url, page.depth, page.kind, page.via, page.redirects)
                self._frontier.put(batch, host_of(page.url), link)
                self.counters.queued += 1

    def _uncount(self, batch: Batch, page: Page) -> None:
        if page.outcome is not Outcome.RESPONSE:
            self.counters.failed[page.outcome] -= 1
        else:
            self.counters.pages -= 200 <= page.status < 300
            self.counters.redirects -= 300 <= page.status < 400
        if self._counts_visits:
            host = host_of(page.url)
            count = self._visits_in_batch[host] = max(0, self.visits_of(host) - 1)
            batch.put("visits", host.encode(), count.to_bytes(4, "big"))

    def depth(self, url_id: bytes, known: int) -> int:
        """The smallest depth known by now."""
        if self._max_depth is None:
            return known  # depths are not relaxed: nothing depends on them
        depth = self._seen.depth(url_id)
        return known if depth is None else min(known, depth)

    def visits_of(self, host: str) -> int:
        """How many visits to a host have ended."""
        if host in self._visits_in_batch:
            return self._visits_in_batch[host]
        return int.from_bytes(self._state.get("visits", host.encode()) or b"", "big")

    def page(self, url_id: bytes) -> Page | None:
        """A page's row."""
        row = self._state.get("page", url_id)
        return _decode_page(row) if row else None

    def pages(self) -> Iterator[Page]:
        """All rows."""
        return (_decode_page(row) for _, row in self._state.scan("page"))

    def adopt_depth_limit(self) -> None:
        """Remember the depth limit; if it was raised, look again for what the old one refused."""
        stored = self._state.get("meta", b"depth")
        now = _encode(self._max_depth)
        if stored == now:
            return
        old = _decode_depth(stored) if stored else None
        if old is not None and (self._max_depth is None or self._max_depth > old):
            for url_id, row in self._state.scan("page"):
                if _decode_page(row).depth >= old:
                    batch = self.batch()
                    self._relax(batch, url_id)
                    self.write(batch)
        batch = self.batch()
        batch.put("meta", b"depth", now)
        self.write(batch)

    def _is_done(self, url_id: bytes) -> bool:
        return url_id in self._done_in_batch or self._state.get("page", url_id) is not None

    def _relax(self, batch: Batch, url_id: bytes) -> None:
        batch.put("relax", url_id, b"")
        self._relax_in_batch.append(url_id)


def _page(
    visit: Visit,
    depth: int,
    outcome: Outcome,
    fetched: Fetched | None,
    processed: Processed | None,
    now: float,
) -> Page:
    link = visit.link
    processed = processed or Processed()
    at = processed.location
    return Page(
        url=link.url,
        status=fetched.status if fetched else 0,
        fetched_at=fetched.started_at if fetched else now,
        depth=depth,
        outcome=outcome,
        mime=processed.mime,
        digest=at.digest if at else "",
        file=at.file if at else 0,
        offset=at.offset if at else 0,
        length=at.length if at else 0,
        body_bytes=fetched.body_bytes if fetched else 0,
        charset=processed.charset,
        title=processed.title,
        via=link.via,
        kind=link.kind,
        redirects=link.redirects,
        truncated=(fetched.truncated or "") if fetched else "",
        noindex=processed.noindex,
    )
