"""From what a user writes to Rules.

preset = "article"         # what is not said here is as in this preset; without one, everything stays
drop = [".advertisement", "#comments"]
drop_attributes = ["id"]
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import msgspec

from weft.clean.presets import PRESETS
from weft.clean.rules import Rules
from weft.errors import BadInput


def preset_named(name: str) -> Rules:
    """The rules of a preset; a name that is none is told in one sentence."""
    if name not in PRESETS:
        raise BadInput(f"there is no preset {name!r}{_hint(name, PRESETS)}")
    return PRESETS[name]


def rules_from(settings: Mapping[str, object]) -> Rules:
    """The settings of a TOML file as Rules; what is wrong with them is told in one sentence."""
    said = dict(settings)
    preset = said.pop("preset", None)
    start = preset_named("none" if preset is None else str(preset))
    for name in said:
        if name not in Rules.__struct_fields__:
            raise BadInput(f"there is no rule {name!r}{_hint(name, ('preset', *Rules.__struct_fields__))}")
    try:
        return msgspec.convert({**msgspec.structs.asdict(start), **said}, Rules)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        rule = where.partition("[")[0].rstrip("`") or "?"
        raise BadInput(f"the rule {rule!r} cannot be used: {what.lower()}") from error


def _hint(name: str, known: Iterable[str]) -> str:
    known = tuple(known)
    nearest = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {nearest[0]!r}?" if nearest else f"; there are {', '.join(known)}"
