"""What a part of the bench returns."""

from __future__ import annotations

import msgspec

from bench.targets import Target


class Part(msgspec.Struct, frozen=True):
    """As a person reads it, what must hold of it, and the figures for `results`."""

    text: str
    must_hold: list[Target]
    figures: dict[str, object]
