"""The paper's own algorithm, to compare with: as many points on a ring as a node has weight; the next one has it."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping

from xxhash import xxh3_64_intdigest

CIRCLE = 1 << 64


class PlainRing:
    """Points of nodes; what is between two belongs to the second."""

    def __init__(self, weights: Mapping[str, int]) -> None:
        points = sorted(
            (xxh3_64_intdigest(f"{node} {number}".encode()), node)
            for node, weight in weights.items()
            for number in range(weight)
        )
        self._places = [place for place, _ in points]
        self._nodes = [node for _, node in points]

    def owners(self, hosts: Iterable[str]) -> list[str]:
        """The node of each host."""
        return [
            self._nodes[bisect_left(self._places, xxh3_64_intdigest(host.encode())) % len(self._nodes)]
            for host in hosts
        ]

    def parts(self) -> dict[str, float]:
        """Of the whole circle, by node: what each gets of endlessly many hosts."""
        found: Counter[str] = Counter()
        before = self._places[-1] - CIRCLE
        for place, node in zip(self._places, self._nodes, strict=True):
            found[node] += place - before
            before = place
        return {node: length / CIRCLE for node, length in found.items()}
