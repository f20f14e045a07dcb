"""What other nodes must hear of, kept until the log has it: one row a batch, in the order of commits.

A row has the links that were new or nearer here, each with the claim under which it was queued on this node (0: it is
another's), and what became of this node's own pages and hosts. The links of all rows up to a page's own are in the log
before that page counts as done: a page that came later may have left out a link because an earlier one had it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

import msgspec

from weft.cluster.events import Again, Done, Entry, FoundUrl, HostNote
from weft.cluster.lease import boot_time_s
from weft.state import Batch, State

_KEY_BYTES: Final = 8


class OwnLink(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A link to be told."""

    bucket: int
    claim: int  # under which it was queued here; 0: it was not
    url: FoundUrl


class OwnEntry(msgspec.Struct, frozen=True, array_like=True):
    """What happened in one of this node's buckets."""

    bucket: int
    claim: int
    id: bytes  # of the page, if it is about one
    entry: Done | Again | HostNote


class OutboxRow(msgspec.Struct, array_like=True):
    """One batch."""

    found: list[OwnLink] = []
    entries: list[OwnEntry] = []
    scope: list[str] = []

    def __bool__(self) -> bool:
        return bool(self.found or self.entries or self.scope)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(OutboxRow).decode


class Outbox:
    """The rows that are not in the log yet."""

    def __init__(self, state: State, now_s: Callable[[], float] = boot_time_s) -> None:
        self._state = state
        self._now_s = now_s
        self._since_s = now_s()  # from when on rows were not told, if there are any
        self._newest = 0
        self.rows = 0
        self.links = 0
        for key, row in state.scan("outbox"):
            self._newest = int.from_bytes(key, "big")
            self.rows += 1
            self.links += len(_decode(row).found)

    def put(self, batch: Batch, row: OutboxRow) -> None:
        """Add a row with a commit."""
        if not self.rows:
            self._since_s = self._now_s()
        self._newest += 1
        batch.put("outbox", self._newest.to_bytes(_KEY_BYTES, "big"), _encode(row))
        self.rows += 1
        self.links += len(row.found)

    def oldest(self, most_links: int) -> tuple[int, list[OutboxRow]]:
        """The first rows, as many as fit; and the number of the last of them."""
        rows: list[OutboxRow] = []
        last = links = 0
        for key, value in self._state.scan("outbox"):
            row = _decode(value)
            if rows and links + len(row.found) > most_links:
                break
            last = int.from_bytes(key, "big")
            links += len(row.found)
            rows.append(row)
        return last, rows

    def told(self, last: int, rows: Iterable[OutboxRow]) -> None:
        """All rows up to that one are in the log."""
        batch = self._state.batch()
        batch.delete_range("outbox", bytes(_KEY_BYTES), (last + 1).to_bytes(_KEY_BYTES, "big"))
        self._state.write(batch)
        self._since_s = self._now_s()  # others came since the log was asked
        for row in rows:
            self.rows -= 1
            self.links -= len(row.found)

    def untold_s(self) -> float:
        """For how long something has waited, and the log has taken nothing."""
        return self._now_s() - self._since_s if self.rows else 0.0

    def without(self, lost: Iterable[bytes]) -> None:
        """A power cut took the records of these pages: nobody hears that they are done."""
        gone = set(lost)
        if not gone:
            return
        batch = self._state.batch()
        for key, value in list(self._state.scan("outbox")):
            row = _decode(value)
            kept = [one for one in row.entries if not (isinstance(one.entry, Done) and one.id in gone)]
            if len(kept) != len(row.entries):
                row.entries = kept
                batch.put("outbox", key, _encode(row))
        self._state.write(batch)


def rows_in(state: State) -> Iterator[OutboxRow]:
    """What a folder has that was not told."""
    return (_decode(row) for _, row in state.scan("outbox"))


def by_bucket(rows: Iterable[OutboxRow]) -> Iterator[tuple[int, int, list[FoundUrl]]]:
    """The links of rows by bucket and claim."""
    found: dict[tuple[int, int], list[FoundUrl]] = {}
    for row in rows:
        for one in row.found:
            found.setdefault((one.bucket, one.claim), []).append(one.url)
    for (bucket, claim), urls in found.items():
        yield bucket, claim, urls


def entries_by_bucket(rows: Iterable[OutboxRow]) -> dict[tuple[int, int], list[Entry]]:
    """What happened by bucket and claim, in order."""
    entries: dict[tuple[int, int], list[Entry]] = {}
    for row in rows:
        for one in row.entries:
            entries.setdefault((one.bucket, one.claim), []).append(one.entry)
    return entries
