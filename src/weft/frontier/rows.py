"""The rows that tell of hosts: which have queued URLs, and when each may be asked again.

A host has a row in `host` and one in `wake`, the index by time, exactly while it has queued URLs. In the index, hosts
that are left for another run stand behind all others. Changes are collected and written with the next batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from weft.state import Batch, State
from weft.state.keys import (
    FIRST_LEFT,
    bucket_range,
    host_key,
    host_of_key,
    host_of_wake_key,
    time_of_wake_key,
    wake_key,
)
from weft.url import BUCKETS, bucket_of


class LaneRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """What of an authority survives a restart."""

    authority: str
    held_until: float = 0.0  # wall time
    rest_s: float = 0.0  # how long that was when the row was written
    failures: int = 0
    parked: str = ""  # why, in words
    is_done: bool = False  # nothing of it is queued; said of hosts that are not in memory

    def rest_at(self, now: float) -> float:
        """How long it still has to rest: never longer than it had to, should the clock have been set back since."""
        return min(self.held_until - now, self.rest_s)


class HostRow(msgspec.Struct, frozen=True, array_like=True):
    """What of a host survives a restart, or its sleep on disk."""

    held_until: float  # wall time
    rest_s: float = 0.0  # how long that was when the row was written
    lanes: tuple[LaneRow, ...] = ()  # by number, as in the queue's keys
    parked: str = ""  # why, in words; its authorities may be so, too
    run: int = 0  # in which it, or one of them, was parked, and failed
    failures: int = 0
    has_answered: bool = False
    rested: int = 0  # the run at whose start it was taken up, and had not been asked since its row was written

    @property
    def wake_at(self) -> float:
        """When something of it may be asked again."""
        return max(self.held_until, min((lane.held_until for lane in self._waking()), default=0.0))

    @property
    def is_left(self) -> bool:
        """True when all of it that is queued is left for another run."""
        if self.parked:
            return True
        return any(lane.parked for lane in self.lanes) and all(lane.parked or lane.is_done for lane in self.lanes)

    @property
    def has_parked(self) -> bool:
        """True when it, or one of its authorities, is left for another run."""
        return bool(self.parked) or any(lane.parked for lane in self.lanes)

    def rest_at(self, now: float) -> float:
        """How long the host itself has to rest, as for a lane."""
        return min(self.held_until - now, self.rest_s)

    def longest_rest_at(self, now: float) -> float:
        """How long until all of it that is not left may be asked again."""
        return max((self.rest_at(now), *(lane.rest_at(now) for lane in self.lanes if not lane.parked)))

    def sleep_at(self, now: float) -> float:
        """How long until something of it may be asked again."""
        return max(self.rest_at(now), min((lane.rest_at(now) for lane in self._waking()), default=0.0))

    def counted_from(self, now: float) -> HostRow:
        """The row with its rests counted from now, if the clock was set back since it was written."""
        lanes = tuple(msgspec.structs.replace(lane, held_until=now + lane.rest_at(now)) for lane in self.lanes)
        return msgspec.structs.replace(self, held_until=now + self.rest_at(now), lanes=lanes)

    def _waking(self) -> Iterable[LaneRow]:
        """The lanes that are waited for."""
        return self.lanes if self.is_left else (lane for lane in self.lanes if not (lane.parked or lane.is_done))

    def with_links_in(self, number: int) -> HostRow:
        """The row of a host that gets links of an authority that was done."""
        lanes = list(self.lanes)
        lanes[number] = msgspec.structs.replace(lanes[number], is_done=False)
        return msgspec.structs.replace(self, lanes=tuple(lanes))


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(HostRow).decode


class HostRows:
    """The rows on disk, with the changes that are not written yet."""

    def __init__(self, state: State) -> None:
        self._state = state
        # Filled by set and forget, emptied by seal; bound: hosts in memory.
        self._changes: dict[str, HostRow | None] = {}
        # Rows of the index below it need no look: their hosts are in memory, or were when they were looked at.
        self.cursor = b""
        self._given_up = bytearray(BUCKETS)  # 1 for each bucket whose hosts are not in the index: nobody wakes them

    def get(self, name: str) -> HostRow | None:
        """A host's row; None when it has no queued URLs."""
        if name in self._changes:
            return self._changes[name]
        row = self._state.get("host", host_key(name))
        return _decode(row) if row else None

    def set(self, name: str, row: HostRow) -> None:
        """Add or replace a row."""
        self._changes[name] = row

    def forget(self, name: str) -> None:
        """The host has no queued URLs any more."""
        self._changes[name] = None

    def flush(self) -> None:
        """Write the changes in a batch of their own."""
        if self._changes:
            batch = self._state.batch()
            self.seal(batch)
            self._state.write(batch)

    def seal(self, batch: Batch) -> None:
        """Put the changes into a batch; nothing else may be changed before it is written."""
        for name, row in self._changes.items():
            old = self._state.get("host", host_key(name))
            if old is not None:
                batch.delete("wake", _wake_key(name, _decode(old)))
            if row is None:
                batch.delete("host", host_key(name))
            else:
                batch.put("host", host_key(name), _encode(row))
                if not self.is_given_up(name):
                    key = _wake_key(name, row)
                    batch.put("wake", key, b"")
                    self.cursor = min(self.cursor, key)  # below it only if the clock was set back, or it was adopted
        self._changes.clear()

    def is_given_up(self, name: str) -> bool:
        """Whether the host is of a bucket that was given up."""
        return self._given_up[int.from_bytes(bucket_of(name), "big")] == 1

    def give_up(self, first: bytes, last: bytes, *, given_up: bool) -> None:
        """Have the hosts of these buckets leave the index by time, or enter it: their rows are written once more."""
        self.flush()
        start, stop = int.from_bytes(first, "big"), int.from_bytes(last, "big") + 1
        self._given_up[start:stop] = bytes([given_up]) * (stop - start)
        for name, row in self.of_buckets(first, last):
            self.set(name, row)
        self.flush()

    def of_buckets(self, first: bytes, last: bytes) -> Iterator[tuple[str, HostRow]]:
        """Names and rows of the hosts of these buckets (as of the last batch)."""
        for key, row in self._state.scan("host", *bucket_range(first, last=last)):
            yield host_of_key(key), _decode(row)

    def waking(self) -> Iterator[tuple[bytes, float, str]]:
        """From the cursor on: keys, times and names of hosts that are not left (as of the last batch)."""
        for key, _ in self._state.scan("wake", self.cursor, FIRST_LEFT):
            yield key, time_of_wake_key(key), host_of_wake_key(key)

    def left(self, after: bytes) -> Iterator[tuple[bytes, str]]:
        """Keys and names of hosts that are left for another run, behind a key (as of the last batch)."""
        for key, _ in self._state.scan("wake", max(FIRST_LEFT, after + b"\0")):
            yield key, host_of_wake_key(key)


def _wake_key(name: str, row: HostRow) -> bytes:
    return wake_key(row.wake_at, name, is_left=row.is_left)
