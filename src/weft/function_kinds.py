"""What a call of a user's function returns: its answer, or an object that has run none of its code yet."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial


def is_async(function: object) -> bool:
    """Whether it is a coroutine function, or an object that is called like one."""
    return _is(function, inspect.iscoroutinefunction)


def is_generator(function: object) -> bool:
    """Likewise of functions with `yield`, async ones among them."""
    return _is(function, inspect.isgeneratorfunction) or is_async_generator(function)


def is_async_generator(function: object) -> bool:
    """Likewise of the async ones alone."""
    return _is(function, inspect.isasyncgenfunction)


def _is(function: object, kind: Callable[[object], bool]) -> bool:
    while isinstance(function, partial):
        function = function.func
    return kind(function) or kind(getattr(type(function), "__call__", None))  # noqa: B004 — what it is called by
