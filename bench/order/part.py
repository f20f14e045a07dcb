"""What a part of the bench returns."""

from __future__ import annotations

from bench.cluster.part import Part


class OrderPart(Part, frozen=True):
    """With pictures: SVG by file name."""

    pictures: dict[str, str]
