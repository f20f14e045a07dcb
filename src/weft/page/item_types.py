"""What type an item function takes, by its annotation."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from weft.errors import BadInput
from weft.function_kinds import is_async, is_async_generator

ItemTest = Callable[[object], bool]


def refuse_async(function: object, what: str) -> None:
    """Workers have no event loop."""
    if not callable(function):
        raise BadInput(f"{what} is no function, but {type(function).__name__}")
    if is_async(function) or is_async_generator(function):
        raise BadInput(f"{what} {_name_of(function)} is called in a worker, where nothing is async: write it with def")


def item_test(function: Callable[[Any], object]) -> ItemTest:
    """Tells the items that a function wants; BadInput if its annotation says nothing that can be known."""
    try:
        parameters = list(inspect.signature(function).parameters)
        hints = get_type_hints(function if inspect.isroutine(function) else type(function).__call__)
    except (NameError, AttributeError, TypeError, ValueError) as error:
        raise BadInput(f"the types of the item function {_name_of(function)} cannot be read: {error}") from error
    if not parameters:
        raise BadInput(f"the item function {_name_of(function)} takes no item")
    return _test_of(hints.get(parameters[0], Any), _name_of(function))


def _test_of(hint: Any, name: str) -> ItemTest:
    origin = get_origin(hint)
    if hint is Any or hint is object or isinstance(hint, TypeVar):
        return lambda item: True
    if origin is Annotated:
        return _test_of(get_args(hint)[0], name)
    if origin in (Union, types.UnionType):
        tests = [_test_of(one, name) for one in get_args(hint)]
        return lambda item: any(test(item) for test in tests)
    if is_typeddict(hint):
        return _keys_test(hint.__required_keys__, hint.__required_keys__ | hint.__optional_keys__)
    wanted = origin or hint
    if not isinstance(wanted, type):
        raise BadInput(f"the item function {name} wants items of the type {hint}, which weft cannot tell from others")
    return lambda item: isinstance(item, wanted)


def _keys_test(needed: Iterable[str], known: Iterable[str]) -> ItemTest:
    """Dicts of one TypedDict are told from those of another by their keys."""
    needs, knows = frozenset(needed), frozenset(known)
    return lambda item: isinstance(item, dict) and needs <= item.keys() <= knows


def _name_of(function: object) -> str:
    return repr(getattr(function, "__qualname__", type(function).__name__))
