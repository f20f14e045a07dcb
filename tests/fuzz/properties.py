"""A rule that holds for any input, and how it is tried."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

Inputs = st.SearchStrategy[Any]


@dataclass(frozen=True, slots=True)
class Property:
    """`check` raises, whatever it raises, when the rule does not hold for an input."""

    name: str
    inputs: Inputs
    check: Callable[[Any], None]

    def try_out(self, examples: int, number: int) -> None:
        """Try so many inputs, the same ones for the same number; the smallest that fails is in the error's notes."""
        searching = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        seed(number)(searching(given(self.inputs)(lambda value: self.check(value))))()


def mixed_text(pieces: Sequence[str], max_pieces: int = 12) -> st.SearchStrategy[str]:
    """Text of pieces that mean something, with anything else between them."""
    return st.lists(st.sampled_from(pieces) | st.text(max_size=4), max_size=max_pieces).map("".join)


def mixed_bytes(pieces: Sequence[bytes], max_pieces: int = 20) -> st.SearchStrategy[bytes]:
    """The same as bytes."""
    return st.lists(st.sampled_from(pieces) | st.binary(max_size=4), max_size=max_pieces).map(b"".join)


def cut_up(data: bytes, places: Sequence[int]) -> list[bytes]:
    """The data in pieces, as a network might deliver it; none is empty."""
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(ends)]
