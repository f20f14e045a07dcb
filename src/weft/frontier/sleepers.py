"""Hosts on disk that are not in memory: when the next of them wakes, and which come back from an earlier run.

The index by time is read from a cursor, a few hundred rows at a time, so that no look at it keeps the loop from
anything else, however many hosts there are.

    wake   │ due … │ cursor ▶ due, asleep │ not due yet │ left for another run … │
"""

from __future__ import annotations

from collections.abc import Container
from math import inf

import msgspec

from weft.clock import Clock
from weft.frontier.lane import label
from weft.frontier.parked import Parked
from weft.frontier.rows import HostRow, HostRows

ROWS_AT_ONCE = 500
CLOCK_STEP_S = 0.1  # a smaller one makes no difference
TOO_LONG = "its rest is longer than a host may wait"


class Sleepers:
    """Reads the rows; who comes into memory is the frontier's to decide."""

    def __init__(self, rows: HostRows, clock: Clock, parked: Parked, *, run: int, max_host_wait_s: float) -> None:
        self._rows = rows
        self._clock = clock
        self._parked = parked
        self._run = run
        self._max_host_wait_s = max_host_wait_s
        self.at = -inf  # when to look again, monotonic; inf: nobody sleeps
        self._left_cursor: bytes | None = b""  # None: all that earlier runs left have been looked at

    def look_by(self, at: float) -> None:
        """Look again at this time, if not earlier."""
        self.at = min(self.at, at)

    def due(self, in_memory: Container[str]) -> list[tuple[bytes, str, HostRow]]:
        """Hosts whose time has come, with their keys in the index, the first ones; sets the time of the next look."""
        self._rows.flush()
        self._take_up_some(in_memory)
        self.at = inf if self._left_cursor is None else -inf
        found: list[tuple[bytes, str, HostRow]] = []
        wall, changed = self._clock.wall(), 0
        for key, wake_at, name in self._rows.waking():
            if name in in_memory:
                if wake_at <= wall and not found:
                    self._rows.cursor = key + b"\0"
                continue
            if len(found) + changed >= ROWS_AT_ONCE:
                self.at = -inf
                break
            if (row := self._rows.get(name)) is None:
                continue
            if wake_at <= wall:
                found.append((key, name, row))
                continue
            rest_s = row.sleep_at(wall)
            if rest_s > self._max_host_wait_s:
                self._leave(name, row)
            else:
                self.look_by(self._clock.monotonic() + rest_s)
                if wake_at - wall < rest_s + CLOCK_STEP_S:
                    break
                self._rows.set(name, row.counted_from(wall))  # the clock was set back
            changed += 1
        self._rows.flush()
        return found

    def woke(self, key: bytes) -> None:
        """The host with this key, and all before it, are in memory."""
        self._rows.cursor = max(self._rows.cursor, key + b"\0")

    def take_up(self, name: str, row: HostRow) -> HostRow:
        """The row as this run sees it: what an earlier one left is tried again, unless it has to rest too long."""
        if row.run == self._run or not row.has_parked:
            return row
        wall = self._clock.wall()
        row = row.counted_from(wall)
        why = row.parked if row.rest_at(wall) > self._max_host_wait_s else ""
        if why:
            self._parked.add(name, why)
        lanes = []
        for lane in row.lanes:
            is_left = bool(lane.parked) and lane.rest_at(wall) > self._max_host_wait_s
            if is_left and not why:  # a host that is left is named once, not with its authorities
                self._parked.add(label(name, lane.authority), lane.parked)
            lanes.append(msgspec.structs.replace(lane, failures=0, parked=lane.parked if is_left else ""))
        rested = self._run if row.is_left else 0
        return msgspec.structs.replace(row, lanes=tuple(lanes), parked=why, run=self._run, failures=0, rested=rested)

    def _take_up_some(self, in_memory: Container[str]) -> None:
        """At the start of a run: some of what earlier ones left."""
        if self._left_cursor is None:
            return
        for looked_at, (key, name) in enumerate(self._rows.left(self._left_cursor)):
            if looked_at == ROWS_AT_ONCE:
                break
            self._left_cursor = key
            row = self._rows.get(name)
            if row is not None and row.run != self._run and name not in in_memory:
                # At once: from now on it may be asked, and the next run must not think that it was not.
                self._rows.set(name, self.take_up(name, row))
        else:
            self._left_cursor = None
        self._rows.flush()

    def _leave(self, name: str, row: HostRow) -> None:
        """Its rest is longer than this run may wait."""
        self._parked.add(name, row.parked or TOO_LONG)
        self._rows.set(name, msgspec.structs.replace(row, parked=row.parked or TOO_LONG, run=self._run))
