"""A semaphore that can be resized."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import uvloop

from weft.clock import FakeClock
from weft.workers.turnstile import Turnstile


class Visitors:
    """Tasks that pass a turnstile, and stay inside until they are told to go."""

    def __init__(self, turnstile: Turnstile) -> None:
        self.turnstile = turnstile
        self.inside: list[int] = []
        self._may_go: dict[int, asyncio.Event] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def come(self, *numbers: int) -> None:
        for number in numbers:
            self._may_go[number] = asyncio.Event()
            self._tasks[number] = asyncio.create_task(self._pass(number))
        await settled()

    async def go(self, number: int) -> None:
        self._may_go[number].set()
        await self._tasks[number]
        await settled()

    async def cancel(self, number: int) -> None:
        self._tasks[number].cancel()
        with pytest.raises(asyncio.CancelledError):
            await self._tasks[number]
        await settled()

    async def all_go(self) -> None:
        for event in self._may_go.values():
            event.set()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _pass(self, number: int) -> None:
        async with self.turnstile:
            self.inside.append(number)
            await self._may_go[number].wait()
        self.inside.remove(number)


async def settled() -> None:
    """Let every task run as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


def with_visitors(size: int, story: Callable[[Visitors, FakeClock], Awaitable[None]]) -> None:
    async def run() -> None:
        clock = FakeClock()
        visitors = Visitors(Turnstile(size, clock))
        try:
            await story(visitors, clock)
        finally:
            await visitors.all_go()

    uvloop.run(asyncio.wait_for(run(), 60))


def test_no_more_than_its_size_are_inside_and_the_others_follow_in_order() -> None:
    async def story(visitors: Visitors, clock: FakeClock) -> None:
        await visitors.come(1, 2, 3, 4)
        assert (visitors.inside, visitors.turnstile.waiting) == ([1, 2], 2)
        await visitors.go(2)
        assert visitors.inside == [1, 3]
        await visitors.go(1)
        assert (visitors.inside, visitors.turnstile.passed) == ([3, 4], 2)

    with_visitors(2, story)


def test_growing_lets_those_in_who_wait() -> None:
    async def story(visitors: Visitors, clock: FakeClock) -> None:
        await visitors.come(1, 2, 3, 4)
        visitors.turnstile.resize(3)
        await settled()
        assert visitors.inside == [1, 2, 3]

    with_visitors(1, story)


def test_shrinking_sends_nobody_out_but_lets_nobody_in_until_there_is_room() -> None:
    async def story(visitors: Visitors, clock: FakeClock) -> None:
        await visitors.come(1, 2, 3, 4)
        visitors.turnstile.resize(1)
        await visitors.go(1)
        await visitors.go(2)
        assert visitors.inside == [3]
        await visitors.go(3)
        assert visitors.inside == [4]

    with_visitors(3, story)


def test_who_is_cancelled_while_waiting_takes_no_place() -> None:
    async def story(visitors: Visitors, clock: FakeClock) -> None:
        await visitors.come(1, 2, 3)
        await visitors.cancel(2)
        await visitors.go(1)
        assert (visitors.inside, visitors.turnstile.inside) == ([3], 1)

    with_visitors(1, story)


def test_who_is_cancelled_at_the_moment_of_being_let_in_gives_the_place_on() -> None:
    async def run() -> None:
        turnstile = Turnstile(1, FakeClock())
        async with turnstile:
            second = asyncio.create_task(turnstile.__aenter__())
            third = asyncio.create_task(turnstile.__aenter__())
            await settled()
        second.cancel()  # let in by now, and not yet told
        await asyncio.wait_for(third, 60)
        assert (turnstile.inside, turnstile.waiting) == (1, 0)

    uvloop.run(run())


def test_idle_time_is_places_times_seconds_for_which_nobody_came() -> None:
    async def story(visitors: Visitors, clock: FakeClock) -> None:
        clock.advance(2.0)  # four places free
        await visitors.come(1)
        clock.advance(1.0)  # three
        visitors.turnstile.resize(2)
        clock.advance(1.0)  # one
        await visitors.come(2, 3)
        clock.advance(5.0)  # none
        assert visitors.turnstile.idle_s() == pytest.approx(4 * 2 + 3 + 1)

    with_visitors(4, story)
