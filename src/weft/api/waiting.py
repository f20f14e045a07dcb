"""Waiting for another thread where an event loop runs: a blocked loop hears of no signal, but its task is told."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Final, TypeVar

Result = TypeVar("Result")

LOOK_EVERY_S: Final = 0.1


def result_of(future: Future[Result]) -> Result:
    """Wait for it, in any thread.

    In a coroutine, CancelledError if its task is cancelled, as `asyncio.run` does on Ctrl-C: no `await` would tell it.
    A signal is heard, too, that has come when the thread was about to wait, or to another thread: neither wakes it.
    """
    task = _task_of_this_thread()
    while not getattr(task, "_must_cancel", False):  # the one word for it: asked for, and not told yet
        try:
            future.exception(LOOK_EVERY_S)
        except TimeoutError:
            continue
        return future.result()
    raise asyncio.CancelledError


def _task_of_this_thread() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None
