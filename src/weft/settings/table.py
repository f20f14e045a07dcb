"""The table of a crawl's settings, made from the fields of CrawlConfig."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import inspect

from weft.config import CrawlConfig
from weft.settings.setting import Kind, Setting


def _settings() -> Iterator[Setting]:
    for field in msgspec.structs.fields(CrawlConfig):
        for said in getattr(field.type, "__metadata__", ()):
            if isinstance(said, Setting):
                yield msgspec.structs.replace(
                    said,
                    name=said.name or field.name.replace("_", "-"),
                    field=field.name,
                    default=field.default,
                    choices=_choices(field.type),
                    **_shape(inspect.type_info(field.type)),
                )


def _shape(field: inspect.Type) -> dict[str, Any]:
    match field:
        case inspect.UnionType(types):
            return _shape(next(one for one in types if not isinstance(one, inspect.NoneType)))
        case inspect.IntType():
            return {"kind": Kind.WHOLE, "at_least": field.ge}
        case inspect.FloatType():
            return {"kind": Kind.NUMBER, "at_least": field.ge}
        case inspect.BoolType():
            return {"kind": Kind.SWITCH}
        case inspect.VarTupleType():
            return {"kind": Kind.LIST}
    return {"kind": Kind.TEXT}


def _choices(hint: object) -> tuple[str, ...]:
    """The values of a Literal, in the order in which it has them."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return next(filter(None, map(_choices, get_args(hint))), ())


CRAWL_SETTINGS: Final = tuple(_settings())
BY_KEYWORD: Final = {setting.keyword: setting for setting in CRAWL_SETTINGS}

# What decides which URLs belong to a crawl cannot be changed when it goes on: its queue is made by it. Scope and
# patterns can (`pipeline.rules`), and seeds can be added.
FIXED: Final = frozenset(str(setting.field) for setting in CRAWL_SETTINGS if not setting.on_resume)
