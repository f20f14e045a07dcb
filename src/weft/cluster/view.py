"""A node's rows as a view of the log: taken away whole, and made again by reading."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol

import msgspec

from weft.cluster.events import Again, Done, Entries, Entry, Found, FoundUrl, HostNote, found_link, from_bytes
from weft.cluster.holdings import Shares
from weft.cluster.log import Message
from weft.pipeline.doors import Inside
from weft.pipeline.growing_scope import SEEDS
from weft.seen import Seen
from weft.state import Batch, Family
from weft.state.keys import bucket_range
from weft.types import Kind
from weft.url import host_of, id_of

# Whatever belongs to a host: rows begin with its bucket, in `traps` behind a letter.
OF_HOSTS: Final[tuple[Family, ...]] = (
    "seen", "sent", "page", "relax", "undelivered", "earlier", "repeat", "place", "host", "visits", "robots", "refused",
    "forbidden", "rule", "queue", "over", "patience",
)  # fmt: skip
TRAP_LETTERS: Final = (b"c", b"h", b"p", b"w")
BEHIND_ALL: Final = b"\xff" * 64  # greater than every key
ROWS_PER_BATCH: Final = 2_000

_encode = msgspec.msgpack.Encoder().encode


def wipe_all(batch: Batch) -> None:
    """Take away all that the log tells again: after a stop it may be half read, or older than the log."""
    for family in (*OF_HOSTS, "wake", "traps", "news"):
        batch.delete_range(family, b"", BEHIND_ALL)
    batch.delete("meta", SEEDS)


class Rows(Protocol):
    """What is read becomes rows."""

    def wipe(self, bucket: int) -> None:
        """Take away all rows of a bucket. Its hosts are not in memory: it was given up, or never adopted."""

    def adopt(self, bucket: int) -> None:
        """All of its rows are there: its hosts have their turns."""

    def give_up(self, bucket: int) -> bool:
        """Nothing more of it begins; True once what is under way has ended."""

    def rests(self, bucket: int) -> list[Entry]:
        """Which hosts of a bucket that was given up must rest, and for how long from now."""

    def deeds(self, messages: Iterable[Message], again: dict[bytes, FoundUrl]) -> None:
        """What owners did before. Pages that are to be visited again are left in `again`."""

    def queue_again(self, again: dict[bytes, FoundUrl]) -> None:
        """Queue the pages that are to be visited again."""

    def found(self, events: Iterable[Found]) -> None:
        """Links that arrive."""

    def widen(self, seeds: list[str]) -> None:
        """The scope grows."""


class View:
    """The rows of a run of the engine."""

    def __init__(self, inside: Inside, shares: Shares, sent: Seen) -> None:
        self._inside = inside
        self._shares = shares
        self._sent = sent
        self.received = 0  # links that others have found

    def wipe(self, bucket: int) -> None:
        first, last = self._shares.rows(bucket)
        batch = self._inside.state.batch()
        start, stop = bucket_range(first, last=last)
        queued = sum(1 for _ in self._inside.state.scan("queue", start, stop))
        for family in OF_HOSTS:
            batch.delete_range(family, start, stop or BEHIND_ALL)
        for letter in TRAP_LETTERS:
            from_key, to_key = bucket_range(first, letter, last)
            batch.delete_range("traps", from_key, to_key or BEHIND_ALL)
        self._inside.ledger.counters.queued -= queued
        self._inside.ledger.rereads.forget(start, stop)
        if (places := self._inside.frontier.places) is not None:
            places.forget(start, stop)
        self._inside.ledger.write(batch)
        self._inside.seen.forget_range(start, stop)
        self._sent.forget_range(start, stop)

    def adopt(self, bucket: int) -> None:
        self._inside.frontier.residents.adopt(*self._shares.rows(bucket))

    def give_up(self, bucket: int) -> bool:
        return self._inside.frontier.residents.give_up(*self._shares.rows(bucket))

    def rests(self, bucket: int) -> list[Entry]:
        resting = self._inside.frontier.residents.resting(*self._shares.rows(bucket))
        return [HostNote(host, rest_s=rest_s) for host, rest_s in resting]

    def deeds(self, messages: Iterable[Message], again: dict[bytes, FoundUrl]) -> None:
        batch, rows = self._inside.ledger.batch(), 0
        are_done: dict[bytes, bool] = {}  # in this batch
        for message in messages:
            event = from_bytes(message.data)
            if not isinstance(event, Entries):
                continue
            for entry in event.entries:
                match entry:
                    case Done():
                        again.pop(id_of(entry.page), None)
                        self._done(batch, entry, are_done)
                    case Again():
                        self._again(batch, entry, again, are_done)
                    case HostNote():
                        self._inside.frontier.residents.rest(entry.host, entry.delay_s)
                        self._inside.frontier.residents.rest(entry.host, entry.rest_s, since=entry.since)
            rows += len(event.entries)
            if rows >= ROWS_PER_BATCH:
                self._inside.ledger.write(batch)
                batch, rows = self._inside.ledger.batch(), 0
                are_done.clear()
        self._inside.ledger.write(batch)

    def _done(self, batch: Batch, done: Done, are_done: dict[bytes, bool]) -> None:
        page, archive = done.page, self._inside.archive
        if done.file:
            page = msgspec.structs.replace(page, file=archive.elsewhere(batch, done.file))
        if page.original is not None:
            original = msgspec.structs.replace(page.original, file=archive.elsewhere(batch, done.original_file))
            page = msgspec.structs.replace(page, original=original)
        page_id = id_of(page)
        self._inside.seen.add(batch, page_id, page.depth)
        batch.put("page", page_id, _encode(page))
        tally = self._inside.ledger.tally
        if tally.counts_visits and not self._is_done(page_id, are_done):  # else its links were read again
            tally.count(batch, host_of(page.url))
        are_done[page_id] = True

    def _again(self, batch: Batch, entry: Again, again: dict[bytes, FoundUrl], are_done: dict[bytes, bool]) -> None:
        link = found_link(entry.url)
        is_guess = link.link.kind is Kind.GUESS
        self._inside.seen.add(batch, link.id, link.link.depth, is_guess)  # so that its link does not queue it, too
        batch.delete("page", link.id)
        again[link.id] = entry.url
        are_done[link.id] = False

    def _is_done(self, page_id: bytes, are_done: dict[bytes, bool]) -> bool:
        known = are_done.get(page_id)
        return self._inside.state.get("page", page_id) is not None if known is None else known

    def queue_again(self, again: dict[bytes, FoundUrl]) -> None:
        batch = self._inside.ledger.batch()
        for url in again.values():
            one = found_link(url)
            self._inside.frontier.put(batch, one.host, one.link)
            self._inside.ledger.counters.queued += 1
        self._inside.ledger.write(batch)

    def found(self, events: Iterable[Found]) -> None:
        batch = self._inside.ledger.batch()
        for event in events:
            self.received += len(event.urls)
            self._inside.ledger.arrive(batch, map(found_link, event.urls))
        self._inside.ledger.write(batch)

    def widen(self, seeds: list[str]) -> None:
        self._inside.widen(seeds)
