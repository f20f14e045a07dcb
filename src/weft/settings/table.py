"""Tables of settings, made from what declares them: that of a crawl's from the fields of CrawlConfig."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import inspect

from weft.config import CrawlConfig, HostTable
from weft.settings.setting import Kind, Setting


def settings_of(declared: type) -> tuple[Setting, ...]:
    """The settings that stand beside the types of a struct's fields, or of a TypedDict's keys."""
    defaults = {}
    if issubclass(declared, msgspec.Struct):
        defaults = {field.name: field.default for field in msgspec.structs.fields(declared)}
    hints = get_type_hints(declared, include_extras=True)
    return tuple(
        msgspec.structs.replace(
            said,
            name=said.name or field.replace("_", "-"),
            field=field,
            default=defaults.get(field),
            choices=_choices(hint),
            **_shape(inspect.type_info(hint)),
        )
        for field, hint in hints.items()
        for said in getattr(hint, "__metadata__", ())
        if isinstance(said, Setting)
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
        case inspect.VarTupleType(inspect.StructType()):
            return {"kind": Kind.TABLES}
        case inspect.VarTupleType() | inspect.ListType():
            return {"kind": Kind.LIST}
    return {"kind": Kind.TEXT}


def _choices(hint: object) -> tuple[str, ...]:
    """The values of a Literal, in the order in which it has them."""
    if get_origin(hint) is Literal:
        return get_args(hint)
    return next(filter(None, map(_choices, get_args(hint))), ())


CRAWL_SETTINGS: Final = settings_of(CrawlConfig)
# Those that may be said for some hosts, by their fields in HostTable, which are named as those of a crawl.
HOST_SETTINGS: Final = tuple(one for one in CRAWL_SETTINGS if one.field in HostTable.__struct_fields__)
