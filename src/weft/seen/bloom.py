"""A Bloom filter that grows: layers, each larger than the one before."""

from __future__ import annotations

from collections.abc import Collection

from rbloom import Bloom

FIRST_LAYER_ITEMS = 500_000
GROWTH = 2
FALSE_POSITIVE_RATE = 0.005


class LayeredBloom:
    """A set of byte strings that may claim to hold what it does not, never the reverse.

    The items are hashes already, and Python keeps the hash of a bytes object, so rbloom's default hash is the
    fastest there is. It differs between processes: a filter is never stored, but rebuilt.
    """

    def __init__(self, first_layer_items: int = FIRST_LAYER_ITEMS) -> None:
        self._capacity = first_layer_items
        self._room = first_layer_items
        self.layers = [Bloom(first_layer_items, FALSE_POSITIVE_RATE)]  # it may be in any of them
        self._newest = self.layers[0]

    def __contains__(self, item: bytes) -> bool:
        return any(item in layer for layer in self.layers)

    def add(self, item: bytes) -> None:
        """Put one item in."""
        if not self._room:
            self._capacity *= GROWTH
            self._room = self._capacity
            self._newest = Bloom(self._capacity, FALSE_POSITIVE_RATE)
            self.layers.append(self._newest)
        self._newest.add(item)
        self._room -= 1

    def add_all(self, items: Collection[bytes]) -> None:
        """Put several in."""
        if len(items) > self._room:
            for item in items:
                self.add(item)
            return
        self._newest.update(items)
        self._room -= len(items)

    def statistics(self) -> dict[str, int]:
        """Layers, and the memory they take."""
        return {
            "layers": len(self.layers),
            "bytes": sum(layer.size_in_bits for layer in self.layers) // 8,
        }
