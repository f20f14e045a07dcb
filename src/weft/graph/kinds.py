"""The ways to rank, for those who only name them: neither numpy nor scipy is needed here."""

from __future__ import annotations

from typing import Final, Literal, get_args

from weft.errors import BadInput

Kind = Literal["pagerank", "hits", "opic"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
DAMPING: Final = 0.85  # of PageRank: how likely the next step follows a link


def kind_named(name: str) -> Kind:
    """The way of this name; BadInput if there is none."""
    for kind in KINDS:
        if kind == name:
            return kind
    raise BadInput(f"there is no way {name!r} to rank: there are {', '.join(KINDS)}")
