"""A user's function called from the engine: whatever it does, the caller goes on."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from tests.api.site import LOOPS, Run
from weft.errors import BadInput
from weft.pipeline.hook_calls import MAX_HANGS, MAX_THREADS, MAX_TRACEBACK_CHARS, CallFailed, HookCalls, hook_function

from .crawling import until

SHORT_S = 0.05  # for what never returns
LONG_S = 60.0
WITHIN_S = 60.0
MIB = 1024 * 1024


class NoWords(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even that")


class ManyWords(Exception):
    def __str__(self) -> str:
        return "word " * 1_000_000


ERRORS = [
    ValueError("wrong"), SystemExit(3), KeyboardInterrupt(), GeneratorExit(), StopIteration(1), StopAsyncIteration(),
    asyncio.CancelledError(), NoWords(), ManyWords(), MemoryError(), RecursionError(),
    BaseExceptionGroup("g", [OSError()]),
]  # fmt: skip


def hook_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "weft-hook"]


def await_threads(number: int) -> None:
    give_up_at = time.monotonic() + WITHIN_S
    while len(hook_threads()) > number:
        assert time.monotonic() < give_up_at, "threads do not end"
        time.sleep(0.01)


@contextmanager
def calling(
    function: Callable[[Any], object], time_s: float = LONG_S, memory_bytes: int = 1024 * MIB
) -> Iterator[HookCalls]:
    calls = HookCalls(function, time_s, memory_bytes)
    try:
        yield calls
    finally:
        calls.close()


async def failure_of(calls: HookCalls, argument: object = None) -> CallFailed:
    with pytest.raises(CallFailed) as failed:
        await calls.call(argument)
    return failed.value


async def raises_async(error: BaseException) -> None:
    raise error


def raises(error: BaseException) -> None:
    raise error


async def double_async(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


class Callable2:
    async def __call__(self, number: int) -> int:
        return 2 * number


@pytest.mark.parametrize("run", LOOPS)
@pytest.mark.parametrize("function", [lambda number: 2 * number, double_async, Callable2()])
def test_what_a_function_returns_is_returned(run: Run, function: Callable[[Any], object]) -> None:
    async def scenario() -> None:
        with calling(function) as calls:
            assert [await calls.call(number) for number in range(3)] == [0, 2, 4]

    run(scenario())
    await_threads(0)


@pytest.mark.parametrize("function", [raises, raises_async])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_it_raises_is_told_with_its_traceback(function: Callable[[Any], object], error: BaseException) -> None:
    async def scenario() -> None:
        with calling(function) as calls:
            for _ in range(2):  # a thread survives it
                failed = await failure_of(calls, error)
                assert not failed.hung
                assert type(error).__name__ in str(failed) or len(str(failed)) > MAX_TRACEBACK_CHARS
                assert len(str(failed)) <= MAX_TRACEBACK_CHARS + 1

    asyncio.run(scenario())


def test_wrong_arguments_are_a_failure_too() -> None:
    async def no_arguments() -> None:
        pass

    async def scenario() -> None:
        for function in (lambda: 1, no_arguments):
            with calling(function) as calls:  # type: ignore[arg-type]
                assert "TypeError" in str(await failure_of(calls, 1))

    asyncio.run(scenario())


def test_a_function_that_blocks_costs_its_time_and_the_loop_goes_on() -> None:
    stuck = threading.Event()

    async def scenario() -> None:
        with calling(lambda _: stuck.wait(), SHORT_S) as calls:
            assert (await failure_of(calls)).hung

    asyncio.run(scenario())
    stuck.set()
    await_threads(0)


def test_one_that_hangs_too_often_is_not_called_any_more_and_no_more_threads_are_stuck_than_that() -> None:
    stuck = threading.Event()
    called = []

    def wait(argument: object) -> None:
        called.append(argument)
        stuck.wait()

    async def scenario() -> None:
        with calling(wait, SHORT_S) as calls:
            failures = await asyncio.gather(*(failure_of(calls, number) for number in range(200)))
            assert calls.is_off
            hung = sum(failed.hung for failed in failures)
            assert len(called) <= hung  # a busy machine may not come to a call in its time
            assert MAX_HANGS <= hung < MAX_HANGS + MAX_THREADS

    asyncio.run(scenario())
    stuck.set()
    await_threads(0)


def test_a_loop_of_python_code_is_ended() -> None:
    def forever(argument: object) -> None:
        while True:
            pass

    async def scenario() -> None:
        with calling(forever, SHORT_S) as calls:
            assert (await failure_of(calls)).hung

    asyncio.run(scenario())
    await_threads(0)


def test_at_most_so_many_threads_call_at_once_and_all_have_their_turn() -> None:
    at_once, most = set[int](), []
    lock = threading.Lock()

    def note(number: int) -> int:
        with lock:
            at_once.add(number)
            most.append(len(at_once))
        with lock:
            at_once.discard(number)
        return number

    async def scenario() -> None:
        with calling(note) as calls:
            assert await asyncio.gather(*map(calls.call, range(300))) == list(range(300))
            assert len(hook_threads()) <= MAX_THREADS

    asyncio.run(scenario())
    assert max(most) <= MAX_THREADS
    await_threads(0)


async def never(argument: object) -> None:
    await asyncio.Event().wait()


async def stubborn(argument: object) -> None:
    while True:
        with suppress(BaseException):  # whatever comes: it stays
            await asyncio.Event().wait()


@pytest.mark.parametrize("run", LOOPS)
@pytest.mark.parametrize("function", [never, stubborn])
def test_a_coroutine_that_never_ends_is_left_and_its_loop_can_end(
    run: Run, function: Callable[[object], Coroutine[Any, Any, None]]
) -> None:
    async def scenario() -> None:
        tasks = len(asyncio.all_tasks())
        with calling(function, SHORT_S) as calls:
            for _ in range(MAX_HANGS):
                assert (await failure_of(calls)).hung
            assert calls.is_off
        await until(lambda: len(asyncio.all_tasks()) == tasks)

    run(asyncio.wait_for(scenario(), WITHIN_S))


@pytest.mark.parametrize("blocks", [True, False])
def test_who_is_cancelled_does_not_wait_for_the_function(blocks: bool) -> None:
    stuck = threading.Event()

    async def scenario() -> None:
        with calling((lambda _: stuck.wait()) if blocks else never) as calls:
            task = asyncio.create_task(calls.call(None))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(task, WITHIN_S / 2)

    asyncio.run(scenario())
    stuck.set()
    await_threads(0)


def forks(argument: object) -> int:
    return os.fork()


async def forks_async(argument: object) -> int:
    forked = os.fork()
    await asyncio.sleep(0)
    return forked


async def forks_at_last(argument: object) -> int:
    return os.fork()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("function", [forks, forks_async, forks_at_last])
def test_of_a_function_that_forks_one_process_goes_on(function: Callable[[Any], object]) -> None:
    async def scenario() -> object:
        with calling(function) as calls:
            return await calls.call(None)

    forked = asyncio.run(scenario())
    assert isinstance(forked, int)
    give_up_at = time.monotonic() + WITHIN_S
    while not (ended := os.waitpid(forked, os.WNOHANG))[0]:
        assert time.monotonic() < give_up_at, "it goes on as the crawl does"
        time.sleep(0.01)
    assert ended == (forked, 0)


def test_one_that_keeps_too_much_memory_is_not_called_any_more() -> None:
    kept: list[bytearray] = []

    def keep(argument: object) -> None:
        kept.append(bytearray(b"x") * (8 * MIB))

    async def scenario() -> None:
        with calling(keep, memory_bytes=60 * MIB) as calls:
            for _ in range(5):
                await calls.call(None)
            with pytest.raises(CallFailed, match="has grown by more than 62,914,560 bytes") as failed:
                await asyncio.gather(*(calls.call(None) for _ in range(10)))
            assert not failed.value.hung
            assert calls.is_off

    asyncio.run(scenario())


def test_memory_that_is_given_back_is_not_counted() -> None:
    async def scenario() -> None:
        with calling(lambda _: len(bytearray(b"x") * (32 * MIB)), memory_bytes=100 * MIB) as calls:
            for _ in range(20):
                assert await calls.call(None) == 32 * MIB
            assert not calls.is_off

    asyncio.run(scenario())


def yields(argument: object) -> Iterator[None]:
    yield None


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nowhere", "must be named as"),
        ("no.such.module:hook", "cannot be imported"),
        ("tests.pipeline.test_hook_calls:nothing", "has no 'nothing'"),
        ("tests.pipeline.test_hook_calls:SHORT_S", "is not a function"),
        ("tests.pipeline.test_hook_calls:yields", "without yield"),
    ],
)
def test_a_path_that_names_no_function_is_bad_input(path: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        hook_function(path)
