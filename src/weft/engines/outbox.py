"""Links for other engines, kept until these have them: a row a commit and engine, in the order of commits.

    outbox   engine, number → OutboxRow

A row is written in the batch of the page that had the links, so no kill loses or invents one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from weft.engines.messages import OutboxRow
from weft.state import Batch, State

_ENGINE_BYTES, _NUMBER_BYTES = 1, 8
_LAST: Final = (1 << 8 * _NUMBER_BYTES) - 1
_encode = msgspec.msgpack.Encoder().encode
decode_row: Final = msgspec.msgpack.Decoder(OutboxRow).decode


class Outbox:
    """The rows for one other engine."""

    def __init__(self, state: State, engine: int) -> None:
        self._state = state
        self._engine = engine
        self.newest = 0
        self.rows = 0
        for key, _ in state.scan("outbox", self._key(0), self._key(_LAST)):
            self.newest = int.from_bytes(key[_ENGINE_BYTES:], "big")
            self.rows += 1

    def put(self, batch: Batch, row: OutboxRow) -> bytes:
        """Add a row with a commit; it is `newest` from then on. Returns it as it is on disk."""
        self.newest += 1
        self.rows += 1
        written = _encode(row)
        batch.put("outbox", self._key(self.newest), written)
        return written

    def after(self, number: int) -> Iterator[tuple[int, bytes]]:
        """The rows behind that one."""
        for key, row in self._state.scan("outbox", self._key(number + 1), self._key(_LAST)):
            yield int.from_bytes(key[_ENGINE_BYTES:], "big"), row

    def taken(self, first: int, last: int) -> None:
        """The rows from the first to the last of these are with the other engine."""
        batch = self._state.batch()
        for number in range(first, last + 1):  # as many as were sent together; a deleted range would slow down scans
            batch.delete("outbox", self._key(number))
        self._state.write(batch)
        self.rows -= last - first + 1

    def _key(self, number: int) -> bytes:
        return self._engine.to_bytes(_ENGINE_BYTES, "big") + number.to_bytes(_NUMBER_BYTES, "big")
