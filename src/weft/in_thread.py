"""Blocking work beside an event loop, in a thread that never outlives the `await` of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

Result = TypeVar("Result")


async def in_thread(function: Callable[..., Result], *arguments: object) -> Result:
    """Call a function in a thread. A cancel is obeyed when the function has returned: no thread can be ended.

    `asyncio.to_thread` would let go of it, and what it works with would be closed under its hands.
    """
    running = asyncio.get_running_loop().run_in_executor(None, partial(function, *arguments))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        running.exception()  # nobody is left to hear of it
        raise cancelled
    return running.result()
