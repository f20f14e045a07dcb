"""Work in a thread: a cancel waits for it."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.pipeline.crawling import until
from weft.in_thread import Halted, in_thread, until_halted


async def several_turns() -> None:
    """The loop does all that is to be done at once, and what follows from it."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_what_the_function_returns_or_raises_is_its_callers() -> None:
    assert asyncio.run(in_thread(divmod, 7, 2)) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(divmod, 7, 0))


@pytest.mark.parametrize("cancels", [1, 2])
@pytest.mark.parametrize("fails", [False, True])
def test_a_cancel_is_obeyed_when_the_function_has_ended_and_not_before(cancels: int, fails: bool) -> None:
    begun, may_end = threading.Event(), threading.Event()
    done: list[str] = []
    complaints: list[object] = []

    def work() -> None:
        begun.set()
        may_end.wait()
        done.append("the work")
        if fails:
            raise ZeroDivisionError

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        task = asyncio.create_task(in_thread(work))
        await until(begun.is_set)
        for _ in range(cancels):
            task.cancel()
            await several_turns()
        is_over = task.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not is_over
        assert done == ["the work"]

    asyncio.run(main())
    assert complaints == []


def test_a_cancel_halts_work_that_looks_for_it() -> None:
    begun, halt = threading.Event(), threading.Event()
    ended: list[type[Exception]] = []

    def work() -> None:
        try:
            for _ in until_halted(iter(int, 1), halt.is_set):
                begun.set()
        except Halted:
            ended.append(Halted)
            raise

    async def main() -> None:
        task = asyncio.create_task(in_thread(work, halt=halt))
        await until(begun.is_set)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ended == [Halted]
