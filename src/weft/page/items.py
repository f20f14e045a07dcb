"""Items as `items.jsonl` has them: JSON, each one checked against the type that it is of.

| an item | how it is checked |
|---|---|
| a dataclass, a `msgspec.Struct` | each field against its annotation, as the item comes |
| a model of pydantic | by pydantic, when it is made and again when it is written |
| a dict, a list, a text, a number | that it can be written as JSON |
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, get_type_hints
from uuid import UUID

import msgspec
from msgspec import inspect

# As they are: a text is no date, although JSON has dates as texts.
_NATIVE = (bytes, bytearray, datetime, date, time, timedelta, Decimal, UUID)
_TYPES_KEPT = 256  # of which it is known how to check them


class BadItem(TypeError):
    """An item that is not what its type says, or cannot be written as JSON."""


def encoded(item: object) -> bytes:
    """The item as one line of JSON; raises BadItem, or what the item's own code raises."""
    type_: type = type(item)
    if shape := _shape_of(type_):
        _check(item, shape)
    try:
        line = _encode(item)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadItem(f"an item of type {type(item).__name__} cannot be written as JSON: {error}") from error
    if b"\n" in line:  # of msgspec.Raw, which is written as it is
        raise BadItem("the JSON of an item has a line break")
    return line


def _of_other_kind(value: Any) -> object:
    dump = getattr(type(value), "model_dump", None)
    if dump is None:
        raise TypeError(f"no JSON is known for the type {type(value).__name__}")
    return dump(value, mode="json", warnings="error")


_encode = msgspec.json.Encoder(enc_hook=_of_other_kind).encode


def _check(item: object, shape: type) -> None:
    """Raise BadItem for the first field that is not what its annotation says."""
    name = type(item).__name__
    try:
        fields = ((name, getattr(item, name)) for name in shape.__annotations__)
        values = {name: value for name, value in fields if value is not msgspec.UNSET}
        plain = msgspec.to_builtins(values, builtin_types=_NATIVE, enc_hook=_of_other_kind)
        msgspec.convert(plain, shape, builtin_types=_NATIVE)
    except AttributeError as error:
        raise BadItem(f"an item of type {name} lacks a field: {error}") from error
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise BadItem(f"{name}.{where.rstrip('`')} of an item is wrong: {what[:1].lower()}{what[1:]}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise BadItem(f"an item of type {name} cannot be written as JSON: {error}") from error


@lru_cache(_TYPES_KEPT)
def _shape_of(type_: type) -> type | None:
    """A struct with those fields of a type that msgspec can check; None if it has none."""
    hints = _hints_of(type_)
    fields = [(name, hint, msgspec.UNSET) for name, hint in hints.items() if _can_be_checked(hint)]
    return msgspec.defstruct(type_.__name__, fields, kw_only=True) if fields else None


def _hints_of(type_: type) -> Mapping[str, Any]:
    names: tuple[str, ...] = ()
    if dataclasses.is_dataclass(type_):
        names = tuple(field.name for field in dataclasses.fields(type_))
    elif issubclass(type_, msgspec.Struct):
        names = type_.__struct_fields__
    if not names:
        return {}
    try:
        hints = get_type_hints(type_, include_extras=True)
    except (NameError, AttributeError, TypeError) as error:
        raise BadItem(f"the annotations of {type_.__name__} cannot be read: {error}") from error
    return {name: hints.get(name, Any) for name in names}


def _can_be_checked(hint: Any) -> bool:
    """Types that msgspec does not know, and unions that it cannot tell apart, are left to type checkers."""
    try:
        return not _has_custom(inspect.type_info(hint), 0)
    except (TypeError, ValueError, NameError, RecursionError):
        return False


def _has_custom(info: object, depth: int) -> bool:
    if isinstance(info, inspect.CustomType):
        return True
    if isinstance(info, tuple | list):
        return any(_has_custom(one, depth) for one in info)
    if not isinstance(info, inspect.Type | inspect.Field) or depth > 20:  # a type may contain itself
        return False
    return any(_has_custom(getattr(info, field), depth + 1) for field in info.__struct_fields__)
