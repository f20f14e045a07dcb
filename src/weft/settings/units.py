"""Times and sizes as people write them: 500ms, 90, 2h; 10M, 1.5Gi."""

from __future__ import annotations

import re
from enum import Enum

from weft.regex import regex

_TIMES = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SIZES = {
    "": 1,
    "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12,
    "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40,
}  # fmt: skip
_WRITTEN = regex(r"(\d+(?:\.\d+)?)\s*([a-z]+)", re.ASCII | re.IGNORECASE)


class Unit(Enum):
    """What a number measures, and how it may be written instead; a bare number is in seconds, or in bytes."""

    TIME = "500ms, 90s, 5min, 2h, 1d"
    SIZE = "10k, 10M, 1.5G, 64Ki, 1Gi"


def measured(text: str, unit: Unit) -> float | None:
    """The seconds, or bytes, of a text with a unit; None if it has none that is known."""
    written = _WRITTEN.fullmatch(text.strip())
    if written is None:
        return None
    number, name = float(written.group(1)), written.group(2)
    # 5M is no time: a month, or minutes? Of sizes nobody measures thousandths.
    factor = _TIMES.get(name) if unit is Unit.TIME else _SIZES.get(name.lower().removesuffix("b"))
    return None if factor is None else number * factor


def written(amount: float, unit: Unit) -> str:
    """The seconds, or bytes, as a person would write them."""
    factors = _TIMES if unit is Unit.TIME else _SIZES
    name = max((name for name in factors if amount % factors[name] == 0), key=lambda name: factors[name], default="")
    return f"{amount / factors.get(name, 1):g}{name if unit is Unit.TIME else name.capitalize()}"
