"""A Bloom filter that grows: layers, each larger than the one before."""

from __future__ import annotations

from rbloom import Bloom

FIRST_LAYER_ITEMS = 500_000
GROWTH = 4
FALSE_POSITIVE_RATE = 0.005


class LayeredBloom:
    """A set of byte strings that may claim to hold what it does not, never the reverse.

    The items are hashes already, and Python keeps the hash of a bytes object, so rbloom's default hash is the
    fastest there is. It differs between processes: a filter is never stored, but rebuilt.
    """

    def __init__(self, first_layer_items: int = FIRST_LAYER_ITEMS) -> None:
        self._capacity = first_layer_items
        self._room = first_layer_items
        self._layers = [Bloom(first_layer_items, FALSE_POSITIVE_RATE)]
        self._newest = self._layers[0]

    def __contains__(self, item: bytes) -> bool:
        for layer in self._layers:  # noqa: SIM110 — `any` takes twice as long, and every new link asks
            if item in layer:
                return True
        return False

    def add(self, item: bytes) -> None:
        """Put one item in."""
        if not self._room:
            self._capacity *= GROWTH
            self._room = self._capacity
            self._newest = Bloom(self._capacity, FALSE_POSITIVE_RATE)
            self._layers.append(self._newest)
        self._newest.add(item)
        self._room -= 1

    def statistics(self) -> dict[str, int]:
        """Layers, and the memory they take."""
        return {
            "layers": len(self._layers),
            "bytes": sum(layer.size_in_bits for layer in self._layers) // 8,
        }
