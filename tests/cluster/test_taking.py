"""Buckets are given up one by one, as soon as nothing of them is under way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from weft.cluster.deeds import Deeds
from weft.cluster.events import Entries, Event, HostNote, Release, from_bytes
from weft.cluster.holdings import Held, Holding, Stage
from weft.cluster.log import Log
from weft.cluster.taking import Taking

from .test_reading import Rows

BUSY, IDLE = 3, 7


class ListLog:
    """All that was written; whatever is expected of its end is true."""

    most_bytes = 1_000_000

    def __init__(self) -> None:
        self.events: list[tuple[str, Event]] = []

    async def append(self, stream: int, subject: str, data: bytes, after: int) -> int:
        self.events.append((subject, from_bytes(data)))
        return len(self.events) + 100


class BusyRows(Rows):
    """A request of one bucket is under way."""

    def __init__(self) -> None:
        super().__init__()
        self.busy = {BUSY}

    def give_up(self, bucket: int) -> bool:
        return bucket not in self.busy

    def rests(self, bucket: int) -> list[Any]:
        return [HostNote("a.example", rest_s=9.0)] if bucket == IDLE else []


def taking_of(log: ListLog, held: Held, rows: BusyRows, own_deeds: Deeds, pump: Callable[[], None]) -> Taking:
    publisher, lease = SimpleNamespace(flush=lambda: asyncio.sleep(0)), SimpleNamespace(holds=lambda: False)
    return Taking(
        cast(Log, log), own_deeds, held, rows, cast(Any, publisher), cast(Any, None), cast(Any, lease), pump
    )  # fmt: skip


def test_a_bucket_is_released_with_its_rests_while_another_one_still_waits_for_a_request() -> None:
    log, rows, pumped = ListLog(), BusyRows(), list[None]()
    held: Held = {BUSY: Holding(1, Stage.OWNED), IDLE: Holding(2, Stage.OWNED)}
    own_deeds = Deeds(cast(Log, log), "a", "1-x")
    taking = taking_of(log, held, rows, own_deeds, lambda: pumped.append(None))

    async def follow() -> None:
        await taking.follow((), keeps_rows=False)
        assert held.keys() == {BUSY}
        assert pumped
        # It is wanted again, but what has begun is ended first: who takes a bucket replays it.
        await taking.follow({BUSY}, keeps_rows=False)
        assert held[BUSY].stage is Stage.LEAVING
        rows.busy.clear()
        await taking.follow({BUSY}, keeps_rows=False)
        assert not held

    asyncio.run(follow())
    first, second, third = log.events
    assert first == ("d.7", Entries("a", "1-x", 2, 1, [HostNote("a.example", rest_s=9.0)]))
    assert second == ("d.7", Release("1-x", 2))
    assert third == ("d.3", Release("1-x", 1))


def test_what_a_life_has_to_say_of_a_bucket_that_it_gave_back_ends_no_life() -> None:
    log = ListLog()
    own_deeds = Deeds(cast(Log, log), "a", "1-x")

    async def write_late() -> None:
        await own_deeds.release(IDLE, 2)
        await own_deeds.write(IDLE, 2, [HostNote("a.example", rest_s=9.0)])

    asyncio.run(write_late())
    assert log.events == [("d.7", Release("1-x", 2))]
