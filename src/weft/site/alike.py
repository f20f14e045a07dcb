"""Which pages say the same, by hashes of what they say: 8 bytes a page."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise


def groups_alike(hashes: Sequence[int]) -> Iterator[list[int]]:
    """Numbers of those that have the same hash, a group at a time in the order of their first; 0 counts as none."""
    twice = _twice(hashes)
    groups: dict[int, list[int]] = {}
    for number, each in enumerate(hashes):
        if each in twice:
            groups.setdefault(each, []).append(number)
    yield from groups.values()


def _twice(hashes: Sequence[int]) -> set[int]:
    ordered = array("q", sorted(filter(None, hashes)))
    return {each for each, following in pairwise(ordered) if each == following}
