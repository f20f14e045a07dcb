"""Walks through a calendar: next month, next month, next month. One that brings nothing more ends.

A page has something of its own if it is not like another day of its calendar, dates aside
(`weft.page.likeness.day_print`).
From day to day, a walk may go MAX_BEYOND pages beyond the first or last day that had something of its own; each such
day renews that. So the days of a chronicle are all visited, however old, and an empty calendar ends.

        … ◀── 96 ── first day ◀────── all of it ──────▶ last day ── 96 ──▶ …

Counted are only links from a day beyond to another day beyond: what other pages link to, and what lies between, is
always visited. Links that were left out are looked at again when a page beyond turns out to have something of its own.
"""

from __future__ import annotations

from typing import Final

import msgspec

from weft.filter.calendars import calendar_day
from weft.state import Batch, State
from weft.types import FoundLink, PageRow, TrailNote
from weft.url import ID_BYTES, host_of, url_id

MAX_BEYOND: Final = 96
PRINTS: Final = 64  # of the last pages that were unlike each other
_CALENDAR, _CUT = b"c", b"w"  # the beginnings of keys


class CalendarRow(msgspec.Struct, array_like=True):
    """What is known of a calendar."""

    prints: list[int]
    first: int
    last: int
    before: int = 0  # days that were taken up beyond the first
    after: int = 0


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(CalendarRow).decode


class Walks:
    """The calendars of a crawl. Methods that take a batch put rows into it; `settle` follows its write."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._in_batch: dict[bytes, CalendarRow] = {}
        self._cut_in_batch: set[bytes] = set()  # keys of pages some of whose links were left out

    def learn(self, batch: Batch, page: PageRow, note: TrailNote) -> list[bytes]:
        """A page of a calendar has come. Returns the ids of pages whose links are to be looked at again."""
        day = calendar_day(page.url)
        if day is None:
            return []
        key = _key(day.calendar, page.url)
        row = self._row(key)
        again: list[bytes] = []
        if row is None:
            row = CalendarRow([note.day_print], day.day, day.day)
        elif note.day_print and note.day_print in row.prints:
            row.prints.remove(note.day_print)  # to the end: it is not forgotten
            row.prints.append(note.day_print)
        else:
            row.prints = [*row.prints[1 - PRINTS :], note.day_print]
            again = self._taken_back(batch, key) if _renew(row, day.day) else []
        self._put(batch, key, row)
        return again

    def admits(self, batch: Batch, page_id: bytes, found: FoundLink) -> bool:
        """Whether a new link from a page to another day of its calendar is taken up; then it counts."""
        to, via = calendar_day(found.link.url), calendar_day(found.link.via)
        row = self._row(_key(to.calendar, found.link.url)) if to is not None else None
        if to is None or via is None or row is None:
            return True
        is_after = min(to.day, via.day) > row.last
        is_before = max(to.day, via.day) < row.first
        if not is_after and not is_before:
            return True
        if (row.after if is_after else row.before) >= MAX_BEYOND:
            cut = _cut_key(_key(to.calendar, found.link.url)) + page_id
            self._cut_in_batch.add(cut)
            batch.put("traps", cut, b"")
            return False
        row.after += is_after
        row.before += is_before
        self._put(batch, _key(to.calendar, found.link.url), row)
        return True

    def settle(self) -> None:
        """The batch is written."""
        self._in_batch.clear()
        self._cut_in_batch.clear()

    def _taken_back(self, batch: Batch, key: bytes) -> list[bytes]:
        """The ids of the pages of a calendar some of whose links were left out; they are forgotten."""
        start = _cut_key(key)
        cut = {at for at, _ in self._state.scan("traps", start, start + b"\xff" * (ID_BYTES + 1))}
        cut |= {at for at in self._cut_in_batch if at.startswith(start)}
        self._cut_in_batch -= cut
        for at in cut:
            batch.delete("traps", at)
        return sorted(at[len(start) :] for at in cut)

    def _row(self, key: bytes) -> CalendarRow | None:
        if (known := self._in_batch.get(key)) is not None:
            return known
        row = self._state.get("traps", key)
        return _decode(row) if row is not None else None

    def _put(self, batch: Batch, key: bytes, row: CalendarRow) -> None:
        self._in_batch[key] = row
        batch.put("traps", key, _encode(row))


def _renew(row: CalendarRow, day: int) -> bool:
    """A day has something of its own. Returns whether it lies beyond what was known."""
    if row.first <= day <= row.last:
        return False
    if day > row.last:
        row.last, row.after = day, 0
    else:
        row.first, row.before = day, 0
    return True


def _key(calendar: str, day_url: str) -> bytes:
    return _CALENDAR + url_id(calendar, host_of(day_url))


def _cut_key(key: bytes) -> bytes:
    """Where the rows of pages begin some of whose links to a calendar were left out."""
    return _CUT + key[len(_CALENDAR) :]
