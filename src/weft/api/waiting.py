"""Waiting for another thread where an event loop runs: a blocked loop hears of no signal, but its task is told."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, wait
from typing import Final, TypeVar

Result = TypeVar("Result")

LOOK_EVERY_S: Final = 0.1


def result_of(future: Future[Result]) -> Result:
    """Wait for it, in any thread.

    In a coroutine, CancelledError if its task is cancelled, as `asyncio.run` does on Ctrl-C: no `await` would tell it.
    """
    if (task := _task_of_this_thread()) is not None:
        has_ended = False
        while not has_ended:
            if getattr(task, "_must_cancel", False):  # the one word for it: asked for, and not told yet
                raise asyncio.CancelledError
            has_ended = bool(wait((future,), LOOK_EVERY_S).done)
    return future.result()


def _task_of_this_thread() -> asyncio.Task[object] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no loop runs
        return None
