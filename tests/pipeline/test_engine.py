"""The engine by itself, among parts that do what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from weft.clock import FakeClock
from weft.config import CrawlConfig
from weft.fetch import MemoryBudget
from weft.frontier import Preparation, SideTurn
from weft.pipeline.context import Context
from weft.pipeline.doors import Doors
from weft.pipeline.engine import JOBS_WAITING_PER_WORKER, LITTLE_MEMORY, SPOOLED_BYTES, Ending, Engine
from weft.pipeline.halts import Halt
from weft.stats import Counters
from weft.types import Link, Visit
from weft.workers.grace import GRACE_S

VISIT = Visit(b"key", b"id", "a.example", Link("http://a.example/", 0), ())
WITHIN_S = 60


class Parts:
    """All that the engine talks to: what it was told is in `told`, and the numbers are ours to set."""

    def __init__(self, *turns: Visit | SideTurn | Preparation, **settings: Any) -> None:
        self.told: list[object] = []
        self.turns = list(turns)
        self.visiting = 0
        self.waiting = self.unfinished = 0
        self.spooled_bytes = 0
        self.budget = MemoryBudget(1000)
        self.error: Exception | None = None
        self.has_work = False
        self.wait_s: float | None = None
        self.clock = FakeClock()
        context = Context(
            CrawlConfig(**{"connections": 3} | settings), self.clock, cast("Any", None), Counters(), cast("Any", None)
        )
        self.context = context
        self.engine = Engine(
            context,
            Doors(),
            cast("Any", SimpleNamespace(
                next=self.next, has_work=lambda: self.has_work, seconds_to_next=lambda: self.wait_s,
                parked=SimpleNamespace(count=0),
            )),
            cast("Any", SimpleNamespace(
                asking=0, begin=self.told.append, give=self.told.append, cancel=lambda: self.told.append("cancelled"),
            )),
            cast("Any", self),
            cast("Any", SimpleNamespace(
                start_some=lambda: None, has_work=lambda: False, judge_again=lambda: False
            )),
            cast("Any", SimpleNamespace(
                waiting=lambda: self.waiting, unfinished=lambda: self.unfinished, pool=SimpleNamespace(active=1),
                spooled_bytes=lambda: self.spooled_bytes,
            )),
            self.budget,
        )  # fmt: skip
        self.pace = SimpleNamespace(wait_s=lambda now: 0.0)

    def next(self) -> Visit | SideTurn | Preparation | None:
        if self.error is not None:
            raise self.error
        return self.turns.pop(0) if self.turns else None

    def __len__(self) -> int:
        return self.visiting

    def begin(self, visit: Visit) -> None:
        self.visiting += 1
        self.told.append(visit)

    def halt(self) -> Halt | None:
        return None

    def commit_refusals(self) -> None:
        pass

    def cancel(self) -> None:
        self.told.append("visits cancelled")


def run(parts: Parts, *meanwhile: Callable[[], object]) -> Ending:
    async def drive() -> Ending:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(parts.engine.run(tasks))
            for step in meanwhile or (lambda: None,):
                for _ in range(5):
                    await asyncio.sleep(0)
                step()
                parts.context.loop.pump_soon()
            return await running

    return asyncio.run(asyncio.wait_for(drive(), WITHIN_S))


def test_each_turn_goes_where_it_belongs() -> None:
    preparation = Preparation("a.example", "http://a.example")
    side = SideTurn("a.example", (), cast("Any", None))
    parts = Parts(preparation, side, VISIT)

    def visit_ends() -> None:
        assert parts.told == [preparation, side, VISIT]
        parts.visiting = 0

    assert run(parts, visit_ends) is Ending.DONE


def test_no_more_requests_are_under_way_than_there_are_slots() -> None:
    parts = Parts(*[VISIT] * 5)

    def look() -> None:
        assert parts.visiting == 3
        assert parts.engine.halts.now is Halt.SLOTS
        parts.visiting = 0
        parts.turns.clear()

    assert run(parts, look) is Ending.DONE


def test_pages_that_wait_for_a_worker_take_slots() -> None:
    parts = Parts(*[VISIT] * 5)
    parts.waiting = JOBS_WAITING_PER_WORKER + 2
    parts.unfinished = parts.waiting

    def look() -> None:
        assert parts.visiting == 1
        assert parts.engine.halts.now is Halt.PARSE
        parts.visiting = parts.waiting = parts.unfinished = 0
        parts.turns.clear()

    assert run(parts, look) is Ending.DONE


@pytest.mark.parametrize(
    ("delay_s", "memory_share", "begun"), [(1.0, 0.0, 2), (1.0, LITTLE_MEMORY, 1), (1.0, 1.0, 0), (0.0, 0.0, 1)]
)
def test_pages_of_hosts_with_a_delay_wait_in_slots_not_given_out_while_they_take_little_memory(
    delay_s: float, memory_share: float, begun: int
) -> None:
    parts = Parts(*[VISIT] * 5, connections=4, delay_s=delay_s)
    parts.engine.slots = 3
    parts.waiting = parts.unfinished = JOBS_WAITING_PER_WORKER + 2
    parts.budget.add(int(memory_share * parts.budget.limit_bytes))

    def look() -> None:
        assert parts.visiting == begun
        assert parts.engine.halts.now is Halt.PARSE
        parts.visiting = parts.waiting = parts.unfinished = 0
        parts.turns.clear()

    assert run(parts, look) is Ending.DONE


def test_nothing_begins_while_too_many_large_pages_lie_on_the_disk() -> None:
    parts = Parts(VISIT)
    parts.unfinished, parts.spooled_bytes = 5, SPOOLED_BYTES + 1

    def one_is_read() -> None:
        assert parts.told == []
        assert parts.engine.halts.now is Halt.PARSE
        parts.unfinished, parts.spooled_bytes = 4, SPOOLED_BYTES

    def all_end() -> None:
        assert parts.told == [VISIT]
        parts.visiting = parts.unfinished = 0

    assert run(parts, one_is_read, all_end) is Ending.DONE


def test_a_stop_waits_for_what_is_under_way_and_begins_nothing() -> None:
    parts = Parts(VISIT)

    def stop() -> None:
        parts.turns.append(VISIT)
        parts.engine.stop(Ending.INTERRUPTED)
        parts.engine.end_if_late()
        parts.visiting = 0

    assert run(parts, stop) is Ending.INTERRUPTED
    assert parts.told == [VISIT, "cancelled", "visits cancelled"]


def test_a_stop_does_not_wait_for_ever() -> None:
    parts = Parts(VISIT)

    def stop() -> None:
        parts.engine.stop(Ending.INTERRUPTED)
        parts.clock.advance(GRACE_S)
        parts.engine.end_if_late()

    assert run(parts, stop) is Ending.INTERRUPTED
    assert parts.visiting == 1


def test_a_limit_ends_the_run_when_nothing_is_under_way() -> None:
    parts = Parts(*[VISIT] * 3, max_pages=2)

    def pages_come() -> None:
        assert parts.visiting == 2
        assert parts.engine.halts.now is Halt.LIMIT
        parts.visiting, parts.context.counters.pages = 0, 2

    assert run(parts, pages_come) is Ending.LIMIT


def test_an_error_of_any_part_ends_the_run() -> None:
    parts = Parts()
    parts.has_work = True

    def look() -> None:
        parts.error = RuntimeError("disk on fire")

    with pytest.raises(BaseExceptionGroup) as raised:
        run(parts, look)
    assert raised.group_contains(RuntimeError, match="disk on fire")
