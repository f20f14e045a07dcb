"""Pages whose links are to be read again: their rows in `relax`, and how such a page is fetched again.

    b""        it is to be read from the archive
    IN_QUEUE   there is no archive: the page is done, and in the queue once more, for its links alone

Of a page that was fetched again only the links count; what was made of it, and counted, is of the first visit.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

from weft.config import CrawlConfig
from weft.pipeline.link_rows import RereadLinks
from weft.state import Batch, State
from weft.types import Link, PageRow, Processed, Visit

if TYPE_CHECKING:
    from weft.pipeline.ledger import Ledger

IN_QUEUE: Final = b"q"

_encode = msgspec.msgpack.Encoder().encode


class RereadRows:
    """The rows, and in memory those of them whose page nobody reads yet."""

    def __init__(self, state: State, config: CrawlConfig) -> None:
        self._links = RereadLinks(state) if config.graph or config.links else None
        self.keeps_archive = config.archive != "none"
        # Filled by commits, emptied by the relaxer; bound: pages of the crawl, 16 bytes each.
        self.waiting: deque[bytes] = deque()
        # Filled by the relaxer, emptied by commits; the same bound.
        self._in_queue: set[bytes] = set()
        for url_id, value in state.scan("relax"):
            (self._in_queue.add if value == IN_QUEUE else self.waiting.append)(url_id)
        self._in_batch: list[bytes] = []

    def add(self, batch: Batch, url_id: bytes) -> None:
        """Have a page's links read again; one that is in the queue is read as it is known when it has come."""
        if url_id not in self._in_queue:
            batch.put("relax", url_id, b"")
            self._in_batch.append(url_id)

    def queue(self, batch: Batch, url_id: bytes) -> None:
        """The page returns to the queue, for its links."""
        batch.put("relax", url_id, IN_QUEUE)
        self._in_queue.add(url_id)

    def leave_queue(self, batch: Batch, url_id: bytes) -> None:
        """Its visit has ended, or is not made: unless its row goes, another run tries it."""
        batch.put("relax", url_id, b"")
        self._in_queue.discard(url_id)

    def is_in_queue(self, url_id: bytes) -> bool:
        """Whether the page is done, and in the queue for its links."""
        return url_id in self._in_queue

    def keep_links(self, batch: Batch, url_id: bytes, processed: Processed | None) -> None:
        """The links of a page were read again: write them down if the crawl keeps links."""
        if self._links is not None:
            self._links.keep(batch, url_id, processed)

    def settle(self) -> None:
        """The batch is written."""
        self.waiting.extend(self._in_batch)
        self._in_batch.clear()

    def forget(self, start: bytes, stop: bytes | None) -> None:
        """The rows between these keys are taken away: let memory follow."""
        left = [one for one in self.waiting if one < start or (stop is not None and one >= stop)]
        self.waiting.clear()
        self.waiting.extend(left)


def fetch_for_links(ledger: Ledger, batch: Batch, url_id: bytes, link: Link) -> None:
    """Queue a page that is done, because only its server can tell its links."""
    ledger.rereads.queue(batch, url_id)
    ledger.put_back(batch, link)


def leave_queue(ledger: Ledger, batch: Batch, visit: Visit, known: PageRow | None) -> None:
    """A visit for links has ended, or is not made. A redirect that has got its cookie meanwhile returns as a page."""
    ledger.rereads.leave_queue(batch, visit.id)
    if known is not None and ledger.repeats.is_in_queue(visit.id, known):
        ledger.put_back(batch, msgspec.structs.replace(visit.link, attempts=0, again=False))


def finish_again(
    ledger: Ledger, batch: Batch, visit: Visit, page: PageRow, processed: Processed | None, at_depth: int
) -> list[str]:
    """The page's links have come again, or cannot be had any more; `page` is what this visit says of it."""
    known = ledger.page(visit.id)
    leave_queue(ledger, batch, visit, known)
    if processed is not None:
        ledger.tally.refused(processed.refused)
        ledger.rereads.keep_links(batch, visit.id, processed)
    widening = ledger.relaxed(batch, visit.id, at_depth, processed)
    if processed is not None and known is not None:
        known = msgspec.structs.replace(known, depth=page.depth, outside=page.outside)
        batch.put("page", visit.id, _encode(known))
    return widening
