"""A user's function, called from the engine: it may take its time, fail, or never return, and the crawl goes on.

A plain function runs in a thread, a coroutine function on the loop; both have the same time. A thread cannot be ended
from outside: one that is late has an exception raised in it, which ends Python code but not a call that blocks, and is
left alone. So a function that hangs MAX_HANGS times is not called any more; nor is one during whose calls the process
has grown by too much.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import resource
import threading
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.function_kinds import is_async, is_generator
from weft.import_path import load

Function = Callable[[Any], object]

MAX_HANGS: Final = 20
MAX_THREADS: Final = 8  # that call functions at once; those that hang are not among them
MAX_TRACEBACK_CHARS: Final = 10_000


class CallFailed(Exception):
    """A function raised something, or took too long; the text says what, with the traceback if there is one."""

    def __init__(self, words: str, *, hung: bool = False) -> None:
        super().__init__(words)
        self.hung = hung


def hook_function(path: str) -> Function:
    """The function that an import path names; BadInput if there is none."""
    function = load(path, "the hook")
    if not callable(function):
        raise BadInput(f"the hook {path!r} is not a function")
    if is_generator(function):
        raise BadInput(f"the hook {path!r} must answer when it is called: write it without yield")
    return function  # type: ignore[no-any-return]  # what it returns is looked at where it is called


def hooks_of(config: CrawlConfig) -> dict[str, tuple[str, Function]]:
    """The functions, and what to call them, by the names of their settings; a site that extracts may have some, too."""
    found: dict[str, tuple[str, Function]] = {}
    if config.extractors:
        from weft.page.rule_book import RuleBook  # only then: it brings what reads items

        for path in config.extractors:
            if isinstance(book := load(path, "the function"), RuleBook):
                found |= {name: (f"{path}.{name}", function) for name, function in book.hooks.items()}
    for name, path in (("before_request", config.before_request), ("after_response", config.after_response)):
        if path:
            found[name] = path, hook_function(path)
    return found


class HookCalls:
    """Calls one function."""

    def __init__(self, function: Function, time_s: float, memory_bytes: int) -> None:
        self._function = function
        self._time_s = time_s
        self._growth = _Growth(memory_bytes)
        self._is_async = is_async(function)
        self._turns = asyncio.Semaphore(MAX_THREADS)
        self._idle: list[_Thread] = []  # filled and emptied by _in_thread; bound: MAX_THREADS
        self._left: set[asyncio.Task[object]] = set()  # tasks that did not end in time; bound: MAX_HANGS
        self._hangs = 0

    @property
    def is_off(self) -> bool:
        """Whether it has hung too often, or kept too much memory, to be called again."""
        return self._hangs >= MAX_HANGS or self._growth.is_too_much

    async def call(self, argument: object) -> object:
        """What the function returns. CallFailed if it raised something, did not return in time, or took all memory."""
        try:
            with self._growth.measured():
                result = await (self._on_loop(argument) if self._is_async else self._in_thread(argument))
        except CallFailed as error:
            self._hangs += error.hung
            raise
        if self._growth.is_too_much:
            raise CallFailed(f"the process has grown by more than {self._growth.limit_bytes:,} bytes during its calls")
        return result

    def close(self) -> None:
        """Nobody calls any more."""
        while self._idle:
            self._idle.pop().end()
        for task in self._left:
            task.cancel()

    async def _in_thread(self, argument: object) -> object:
        async with self._turns:
            if self.is_off:  # since it waited for its turn
                raise CallFailed("it is not called any more")
            thread = self._idle.pop() if self._idle else _Thread()
            answer = thread.call(self._function, argument)
            try:
                await asyncio.wait({answer}, timeout=self._time_s)
            finally:  # also if the crawl is being ended
                if answer.done():
                    self._idle.append(thread)
                else:
                    answer.cancel()
                    thread.leave_alone()
            if answer.cancelled():
                raise self._late()
            failure, value = answer.result()
        if failure is not None:
            raise CallFailed(failure)
        return value

    async def _on_loop(self, argument: object) -> object:
        try:
            steps = _Steps(self._function(argument))  # type: ignore[arg-type]  # a coroutine function's
        except BaseException as error:  # it did not even begin: wrong arguments
            raise CallFailed(_traceback_of(error)) from None
        task = asyncio.get_running_loop().create_task(_run(steps))
        try:
            await asyncio.wait({task}, timeout=self._time_s)
        finally:
            if not task.done():
                steps.is_left_alone = True
                task.cancel()
                self._left.add(task)
                task.add_done_callback(self._left.discard)
        if not task.done():
            raise self._late()
        failure, value = task.result()
        if failure is not None:
            raise CallFailed(failure)
        return value

    def _late(self) -> CallFailed:
        return CallFailed(f"it took longer than {self._time_s:g} s", hung=True)


class _Growth:
    """By how much the process has grown while a function was called, the calls of a moment taken together."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._grown_bytes = 0
        self._calls = 0  # under way
        self._before_bytes = 0

    @property
    def is_too_much(self) -> bool:
        return self._grown_bytes > self.limit_bytes

    @contextmanager
    def measured(self) -> Iterator[None]:
        if not self._calls:
            self._before_bytes = _resident_bytes()
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            now = _resident_bytes()
            # What shrinks was not its own, as a rule; but noise must not add up.
            self._grown_bytes = max(0, self._grown_bytes + now - self._before_bytes)
            self._before_bytes = now


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_bytes().split()[1]) * resource.getpagesize()
    except OSError:  # no descriptor is left
        return 0


Answer = tuple[str | None, object]  # why it failed, or None and what it returned


class _Interrupted(SystemExit):
    """Raised in a thread whose function is late."""


class _Thread:
    """A thread that calls functions, one after the other. It does not keep the process from ending."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[tuple[Function, object, asyncio.Future[Answer]] | None] = SimpleQueue()
        self._is_left_alone = False
        self._thread = threading.Thread(target=self._work, name="weft-hook", daemon=True)
        self._thread.start()

    def call(self, function: Function, argument: object) -> asyncio.Future[Answer]:
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._calls.put((function, argument, answer))
        return answer

    def end(self) -> None:
        """After what it does now."""
        self._calls.put(None)

    def leave_alone(self) -> None:
        """Its function does not return: make it raise something as soon as it runs Python code, and forget it."""
        self._is_left_alone = True
        self._calls.put(None)
        if self._thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread.ident), ctypes.py_object(_Interrupted)
            )

    def _work(self) -> None:
        with suppress(_Interrupted):  # raised a moment before or after its function ran
            self._make_calls()

    def _make_calls(self) -> None:
        process = os.getpid()
        while (call := self._calls.get()) is not None:
            function, argument, answer = call
            try:
                told: Answer = None, function(argument)
            except BaseException as error:  # whatever a user's code raises
                told = _traceback_of(error), None
            _end_if_forked(process)
            if self._is_left_alone:
                return
            with suppress(RuntimeError):  # the loop is closed
                answer.get_loop().call_soon_threadsafe(_settle, answer, told)
            del call, function, argument, answer, told


def _settle(answer: asyncio.Future[Answer], told: Answer) -> None:
    if not answer.done():
        answer.set_result(told)


class _Steps:
    """A coroutine that can be left: told so, it is closed at its next step, whatever it does about being cancelled."""

    def __init__(self, coroutine: Coroutine[Any, Any, object]) -> None:
        self._coroutine = coroutine
        self.is_left_alone = False

    def __await__(self) -> Generator[Any, Any, object]:
        error: BaseException | None = None
        process = os.getpid()
        while True:
            try:
                waits_for = self._coroutine.send(None) if error is None else self._coroutine.throw(error)
            except StopIteration as done:
                return done.value
            finally:
                _end_if_forked(process)
            error = None
            try:
                yield waits_for
            except BaseException as caught:
                if self.is_left_alone:
                    self._close()
                    raise
                error = caught

    def _close(self) -> None:
        try:
            self._coroutine.close()
        except BaseException:  # it ignores this as well: Python would ask it again, where nobody can leave it
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._coroutine))


def _end_if_forked(process: int) -> None:
    """A function that forks returns twice; the second process must not crawl as the first does."""
    if os.getpid() != process:
        os._exit(0)


async def _run(steps: _Steps) -> Answer:
    try:
        return None, await steps
    except BaseException as error:  # whatever a user's code raises
        if steps.is_left_alone:
            raise
        return _traceback_of(error), None


def _traceback_of(error: BaseException) -> str:
    """As Python prints it; what the error says of itself may fail as well."""
    try:
        text = "".join(traceback.format_exception(error))
    except BaseException:
        text = type(error).__name__
    return text if len(text) <= MAX_TRACEBACK_CHARS else f"…{text[-MAX_TRACEBACK_CHARS:]}"
