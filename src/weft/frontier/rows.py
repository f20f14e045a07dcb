"""The rows that tell of hosts: which have queued URLs, and when each may be asked again.

A host has a row in `host` and one in `wake`, the index by time, exactly while it has queued URLs. Changes are
collected and written with the next batch.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

import msgspec

from weft.frontier.keys import host_of_wake_key, wake_key
from weft.state import Batch, State


class HostRow(msgspec.Struct, frozen=True, array_like=True):
    """What of a host survives a restart."""

    wake_at: float  # wall time
    parked: str = ""  # why, in words
    rest_s: float = 0.0  # how long that was when the row was written

    def rest_at(self, now: float) -> float:
        """How long it still has to rest: never longer than it had to, should the clock have been set back since."""
        return min(self.wake_at - now, self.rest_s)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(HostRow).decode


class HostRows:
    """The rows on disk, with the changes that are not written yet."""

    def __init__(self, state: State) -> None:
        self._state = state
        # Filled by set and forget, emptied by seal; bound: hosts in memory.
        self._changes: dict[str, HostRow | None] = {}

    def get(self, name: str) -> HostRow | None:
        """A host's row; None when it has no queued URLs."""
        if name in self._changes:
            return self._changes[name]
        row = self._state.get("host", name.encode())
        return _decode(row) if row else None

    def set(self, name: str, row: HostRow) -> None:
        """Add or replace a row."""
        self._changes[name] = row

    def write_now(self, name: str, row: HostRow) -> None:
        """Add or replace a row, and write all changes in a batch of their own."""
        self.set(name, row)
        batch = self._state.batch()
        self.seal(batch)
        self._state.write(batch)

    def forget(self, name: str) -> None:
        """The host has no queued URLs any more."""
        self._changes[name] = None

    def seal(self, batch: Batch) -> None:
        """Put the changes into a batch; nothing else may be changed before it is written."""
        for name, row in self._changes.items():
            old = self._state.get("host", name.encode())
            if old is not None:
                batch.delete("wake", wake_key(_decode(old).wake_at, name))
            if row is None:
                batch.delete("host", name.encode())
            else:
                batch.put("wake", wake_key(row.wake_at, name), b"")
                batch.put("host", name.encode(), _encode(row))
        self._changes.clear()

    def by_time(self, *, besides: Container[str] = ()) -> Iterator[tuple[str, HostRow]]:
        """The hosts and their rows but for some, those first whose time comes first (as of the last batch)."""
        for key, _ in self._state.scan("wake"):
            name = host_of_wake_key(key)
            if name not in besides and (row := self.get(name)) is not None:
                yield name, row
