"""Long bodies over real sockets: spooled, bounded in memory, and never left behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from weft.fetch import MemoryBudget, release
from weft.types import Fetched, Outcome

from .framings import OK
from .rig import Visitor, rigged, run, serve_pages, until

KIB = 1024


def make_body(size_bytes: int) -> tuple[bytes, bytes]:
    body = bytes(number % 251 for number in range(1000)) * (size_bytes // 1000)
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body), body


@pytest.mark.parametrize("announced", [True, False])
def test_long_body_is_spooled_and_short_memory_given_back(announced: bool, tmp_path: Path) -> None:
    head, body = make_body(3_000_000)
    if not announced:
        head = OK + b"\r\n"

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(head + body)
        if announced:
            await visitor.hold()
        else:
            visitor.close()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            fetched = await rig.fetch()
            assert fetched.body is None
            assert fetched.spool is not None
            assert fetched.body_bytes == len(body)
            assert Path(fetched.spool).read_bytes() == body
            assert rig.budget.used_bytes == 0
            assert rig.fetcher.statistics().idle == announced
            release(fetched, rig.budget)
            assert rig.spooled() == []

    run(scenario())


def test_memory_is_bounded_however_many_bodies_come_at_once(tmp_path: Path) -> None:
    head, body = make_body(700_000)
    fetches, budget_bytes, early_bytes = 60, 4_000_000, 64 * KIB
    halfway = asyncio.Event()

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(head + body[:-1])
        await halfway.wait()
        await visitor.send(body[-1:])
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script, budget=MemoryBudget(budget_bytes)) as rig:
            bound_bytes = budget_bytes + fetches * early_bytes
            tasks = [asyncio.create_task(rig.fetch()) for _ in range(fetches)]
            await until(lambda: rig.server.connections == fetches)
            await until(lambda: len(rig.spooled()) > fetches / 2)
            assert rig.budget.used_bytes <= bound_bytes
            halfway.set()
            results = await asyncio.gather(*tasks)
            assert rig.budget.used_bytes <= bound_bytes
            assert any(fetched.spool is None for fetched in results)
            for fetched in results:
                stored = Path(fetched.spool).read_bytes() if fetched.spool else fetched.body
                assert stored == body
                release(fetched, rig.budget)
            assert rig.budget.used_bytes == 0
            assert rig.spooled() == []

    run(scenario())


def test_failed_long_body_stays_the_callers_until_released(tmp_path: Path) -> None:
    head, body = make_body(2_000_000)

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(head + body[:-1])
        visitor.close()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            error = await rig.fetch_error()
            assert error.outcome is Outcome.CLOSED
            assert error.partial is not None
            assert error.partial.spool is not None
            assert Path(error.partial.spool).read_bytes() == body[:-1]
            release(error.partial, rig.budget)
            assert rig.spooled() == []

    run(scenario())


@pytest.mark.parametrize("size_bytes", [10_000, 2_000_000])
def test_cancelled_fetch_leaves_nothing_behind(size_bytes: int, tmp_path: Path) -> None:
    head, body = make_body(size_bytes)

    async def script(visitor: Visitor) -> None:
        await visitor.request()
        await visitor.send(head + body[:-1])
        await visitor.hold()

    async def scenario() -> None:
        async with rigged(tmp_path, script) as rig:
            task = asyncio.create_task(rig.fetch())
            await until(lambda: rig.budget.used_bytes == size_bytes - 1 or bool(rig.spooled()))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert rig.budget.used_bytes == 0
            assert rig.spooled() == []
            assert rig.fetcher.statistics().active == 0
            await until(lambda: rig.fetcher.statistics().open == 0)

    run(scenario())


class CancellingBudget(MemoryBudget):
    """Cancels a task as soon as bytes arrive: before it can notice that its response is whole."""

    __slots__ = ("task",)
    task: asyncio.Task[Fetched]

    def add(self, size_bytes: int) -> None:
        super().add(size_bytes)
        asyncio.get_running_loop().call_soon(self.task.cancel)


def test_fetch_cancelled_in_the_moment_of_its_end_leaves_nothing_behind(tmp_path: Path) -> None:
    async def scenario() -> None:
        budget = CancellingBudget()
        async with rigged(tmp_path, serve_pages, budget=budget) as rig:
            budget.task = asyncio.create_task(rig.fetch())
            with pytest.raises(asyncio.CancelledError):
                await budget.task
            assert rig.budget.used_bytes == 0
            assert rig.fetcher.statistics().active == 0

    run(scenario())
