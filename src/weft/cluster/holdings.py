"""A node's buckets, as its engine sees them: whose a link is, and what others must hear of each commit."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from typing import Final

import msgspec

from weft.cluster.events import MOST_BODY_BYTES, Again, Done, HostNote, found_url, may_be_told, url_of
from weft.cluster.outbox import Outbox, OutboxRow, OwnEntry, OwnLink
from weft.pipeline.doors import Finished, Inside
from weft.seen import Found, Seen
from weft.state import Batch
from weft.types import Fetched, FoundLink, Kind, Link, PageRow, Refusal
from weft.url import BUCKETS, bucket_of, host_of, id_of

FEWEST_BUCKETS: Final = 64
USUAL_BUCKETS: Final = 256
MOST_BUCKETS: Final = 16_384
_log = logging.getLogger("weft.cluster")


class Stage(Enum):
    """How far a bucket has come."""

    REPLAYING = "replaying"
    OWNED = "owned"
    LEAVING = "leaving"


class Holding(msgspec.Struct):
    """A bucket that this life has claimed."""

    claim: int
    stage: Stage = Stage.REPLAYING


Held = dict[int, Holding]  # by bucket


class Shares:
    """How a crawl's buckets lie among the 65,536 that rows begin with: each is a run of them."""

    def __init__(self, buckets: int) -> None:
        self.buckets = buckets
        self._size = BUCKETS // buckets

    def of_id(self, url_id: bytes) -> int:
        """The bucket of a URL."""
        return int.from_bytes(url_id[:2], "big") // self._size

    def of_host(self, host: str) -> int:
        """The bucket of a host."""
        return int.from_bytes(bucket_of(host), "big") // self._size

    def rows(self, bucket: int) -> tuple[bytes, bytes]:
        """The first and the last of the buckets that rows begin with."""
        first = bucket * self._size
        return first.to_bytes(2, "big"), (first + self._size - 1).to_bytes(2, "big")


class Holdings:
    """The engine's `Owner` and a `Witness` of its visits; each commit that others must hear of gets a row."""

    def __init__(self, shares: Shares, outbox: Outbox, sent: Seen) -> None:
        self.shares = shares
        self.outbox = outbox
        self._sent = sent
        self.held: Held = {}  # bound: buckets
        self.news: Callable[[FoundLink], None] | None = self._note
        self.owner_of: Callable[[int], str] = lambda bucket: ""  # as the table says; for the matrix only
        self.sent_to: Counter[str] = Counter()
        self._row = OutboxRow([], [], [])  # of the batch that is being filled
        self._inside: Inside | None = None
        self._has_refused = False
        self.on_begin: Callable[[Inside], None] = lambda inside: None
        self.on_redirect: Callable[[str], Awaitable[Fetched | None]] | None = None
        self.on_delay: Callable[[str, float], Awaitable[None]] | None = None

    def begin(self, inside: Inside) -> None:
        """A run begins; it owns nothing yet."""
        self._inside = inside
        self.on_begin(inside)

    @property
    def inside(self) -> Inside:
        """The parts of the run."""
        assert self._inside is not None
        return self._inside

    def ours(self, batch: Batch, found: Iterable[FoundLink]) -> Iterable[FoundLink]:
        """Those of the buckets whose rows are here; the others are to be sent, each once a depth.

        While a bucket is replayed, what it will know is not known yet: its links come back through the log.
        """
        of_id, held, replaying = self.shares.of_id, self.held, Stage.REPLAYING
        ours = []
        for one in found:
            if one.link.parts is not None and not may_be_told(one.link):
                self._refuse(one.link)
                continue
            bucket = of_id(one.id)
            if (holding := held.get(bucket)) is not None and holding.stage is not replaying:
                ours.append(one)
            elif self._sent.add(batch, one.id, one.link.depth, one.link.kind is Kind.GUESS) is not Found.KNOWN:
                self._row.found.append(OwnLink(bucket, 0, found_url(one)))
                self.sent_to[self.owner_of(bucket)] += 1
        return ours

    def _refuse(self, link: Link) -> None:
        """A request that must not stand in the log; the first one is told in words."""
        if not self._has_refused:
            _log.warning(
                "%s is not asked for: in a cluster a request has no login, no password, and at most %s bytes to send",
                link.url,
                f"{MOST_BODY_BYTES:,}",
            )
        self._has_refused = True
        self.inside.ledger.tally.refused({Refusal.USER: 1})

    def _note(self, found: FoundLink) -> None:
        bucket = self.shares.of_id(found.id)
        self._row.found.append(OwnLink(bucket, self.held[bucket].claim, found_url(found)))

    def finished(self, batch: Batch, visit: Finished) -> None:
        """A visit has ended."""
        self._done(visit.id, visit.page)

    def came_nearer(self, page: PageRow, depth: int) -> None:
        """A page's links have been read again: nobody needs to do so once more."""
        self._done(id_of(page), msgspec.structs.replace(page, depth=depth))

    def _done(self, page_id: bytes, page: PageRow) -> None:
        bucket = self.shares.of_id(page_id)
        if (holding := self.held.get(bucket)) is None:
            return  # its links are told all the same
        name_of = self.inside.archive.name_of
        original = name_of(page.original.file) if page.original is not None else ""
        done = Done(page, name_of(page.file) if page.file else "", original)
        self._row.entries.append(OwnEntry(bucket, holding.claim, page_id, done))

    def queued_again(self, link: Link) -> None:
        """A page returns to the queue."""
        host = host_of(link.url)
        bucket = self.shares.of_host(host)
        if (holding := self.held.get(bucket)) is not None:
            self._row.entries.append(OwnEntry(bucket, holding.claim, b"", Again(url_of(link, host))))

    def note_host(self, note: HostNote) -> int | None:
        """Have others hear what a host asks for; its bucket, None if it is not ours."""
        bucket = self.shares.of_host(note.host)
        if (holding := self.held.get(bucket)) is not None:
            self._row.entries.append(OwnEntry(bucket, holding.claim, b"", note))
            return bucket
        return None

    async def asks_for_delay(self, host: str, delay_s: float) -> None:
        """Others must know before the host is asked for pages."""
        if self.on_delay is not None:
            await self.on_delay(host, delay_s)

    async def fetched_elsewhere(self, url: str) -> Fetched | None:
        """A robots.txt to which another redirects is fetched by its host's owner."""
        return await self.on_redirect(url) if self.on_redirect is not None else None

    def widens(self, seeds: Iterable[str]) -> Iterable[str]:
        """The scope grows when the log says so: in the same order for all."""
        self._row.scope.extend(seeds)
        return ()

    def lost(self, url_ids: Iterable[bytes]) -> None:
        """Records of these pages did not survive a power cut."""
        self.outbox.without(url_ids)

    @property
    def has_row(self) -> bool:
        """Whether others must hear of something that no batch has taken along yet."""
        return bool(self._row)

    def seal(self, batch: Batch) -> None:
        """Last before the write."""
        if self._row:
            self.outbox.put(batch, self._row)
            self._row = OutboxRow([], [], [])

    def settle(self) -> None:
        """The batch is written."""
        self._sent.settle()
