"""One other engine, as this one sends to it and hears from it. Pure: whoever has the socket calls it.

put ──▶ outbox, unsent ──next──▶ Links, on their way ──taken──▶ gone
"""

from __future__ import annotations

from collections import deque
from typing import Final

from weft.engines.messages import Links, OutboxRow
from weft.engines.outbox import Outbox
from weft.state import Batch

MOST_AT_ONCE: Final = 128 * 1024  # bytes of rows in one message
MOST_UNSENT: Final = 1_000  # rows in memory; further ones are read from the disk when their turn comes
MOST_UNTAKEN: Final = 20_000  # rows on their way; then the other engine is to be waited for


class Peer:
    """What goes to another engine, and how far it has come."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox
        # Rows that are committed and not sent. Filled by settle and from the disk, emptied by next; bound: MOST_UNSENT.
        self._unsent: deque[tuple[int, bytes]] = deque()
        self._of_batch: tuple[int, bytes] | None = None
        first = next(outbox.after(0), None)
        self._taken = first[0] - 1 if first else outbox.newest  # up to here everything is with the other engine …
        self._sent = self._taken  # … up to here it is on its way: all that a run before left is sent again
        self._known = self._taken  # up to here it is in memory
        self.sent = 0  # rows, in this run
        self.received = 0
        self.applied = 0  # the number of the last row that came, and is committed here …
        self.told = 0  # … and of the last one that the other engine knows to be safe

    def put(self, batch: Batch, row: OutboxRow) -> None:
        """A commit has links for the engine; it has one row for it."""
        written = self._outbox.put(batch, row)
        self._of_batch = self._outbox.newest, written

    def settle(self) -> None:
        """The commit is written."""
        if self._of_batch is None:
            return
        number, _ = self._of_batch
        if self._known == number - 1 and len(self._unsent) < MOST_UNSENT:
            self._unsent.append(self._of_batch)
            self._known = number
        self._of_batch = None

    def next(self) -> Links | None:
        """What is to be sent now, if anything."""
        if self._sent - self._taken >= MOST_UNTAKEN:
            return None
        if not self._unsent and self._known < self._outbox.newest:
            self._read_on()
        rows: list[bytes] = []
        size = 0
        while self._unsent and (not rows or size < MOST_AT_ONCE):
            self._sent, row = self._unsent.popleft()
            rows.append(row)
            size += len(row)
        self.sent += len(rows)
        return Links(self._sent, rows) if rows else None

    def _read_on(self) -> None:
        for number, row in self._outbox.after(self._known):
            self._unsent.append((number, row))
            self._known = number
            if len(self._unsent) >= MOST_UNSENT:
                return

    def taken(self, last: int) -> None:
        """The other engine has all rows up to this one on its disk."""
        if last > self._taken:
            self._outbox.taken(self._taken + 1, last)
            self._taken = last

    @property
    def is_empty(self) -> bool:
        """Whether everything is with the other engine."""
        return not self._outbox.rows
