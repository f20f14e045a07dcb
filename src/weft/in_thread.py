"""Blocking work beside an event loop, in a thread that never outlives the `await` of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from threading import Event
from typing import TypeVar

Result = TypeVar("Result")
Row = TypeVar("Row")


class Halted(Exception):
    """Long work ended early, as it was told to; what it would have made is not there."""


async def in_thread(function: Callable[..., Result], *arguments: object, halt: Event | None = None) -> Result:
    """Call a function in a thread. A cancel is obeyed when the function has returned: no thread can be ended.

    `asyncio.to_thread` would let go of it, and what it works with would be closed under its hands. One that takes long
    looks at `halt`, which a cancel sets.
    """
    running = asyncio.get_running_loop().run_in_executor(None, partial(function, *arguments))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
            if halt is not None:
                halt.set()
    if cancelled is not None:
        running.exception()  # nobody is left to hear of it
        raise cancelled
    return running.result()


def until_halted(rows: Iterable[Row], is_halted: Callable[[], bool]) -> Iterator[Row]:
    """The rows of long work, as long as nobody wants it to end."""
    for row in rows:
        if is_halted():
            raise Halted
        yield row


def never() -> bool:
    """For work that nobody halts."""
    return False
