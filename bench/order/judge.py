"""What a list of visited pages is worth. Pure: pages are numbers, in the order of their visits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate

import msgspec

CURVE_POINTS = 50

Curve = list[tuple[float, float]]


class Worth(msgspec.Struct, frozen=True):
    """One order on one web, at the end of its budget."""

    order: str
    pages: int
    harvest: float  # relevant pages ÷ pages fetched
    relevant_found: float  # of all relevant pages
    rank: float  # true PageRank of the pages fetched; that of all pages is 1
    rank_of_best: float  # of what the best choice of as many pages has
    hubs: int
    harvest_curve: Curve  # over pages fetched
    rank_curve: Curve


def judge(
    order: str, visits: Sequence[int], relevant: Collection[int], ranks: Sequence[float], hubs: Collection[int] = ()
) -> Worth:
    """Harvest and PageRank of a crawl."""
    found = list(accumulate(page in relevant for page in visits))
    collected = list(accumulate(ranks[page] for page in visits))
    best = sum(sorted(ranks, reverse=True)[: len(visits)])
    return Worth(
        order=order,
        pages=len(visits),
        harvest=found[-1] / len(visits),
        relevant_found=found[-1] / max(1, len(relevant)),
        rank=collected[-1],
        rank_of_best=collected[-1] / best,
        hubs=sum(page in hubs for page in visits),
        harvest_curve=[(pages, found[pages - 1] / pages) for pages in _points(len(visits))],
        rank_curve=[(pages, collected[pages - 1]) for pages in _points(len(visits))],
    )


def mean_curve(curves: Sequence[Curve]) -> Curve:
    """Point by point, as far as all of them go."""
    return [
        (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        for points in zip(*curves, strict=False)
    ]


def mean_ratio(above: Sequence[float], below: Sequence[float]) -> float:
    """Of pairs that belong to one web each."""
    return sum(one / other for one, other in zip(above, below, strict=True)) / len(above)


def _points(pages: int) -> list[int]:
    return [max(1, pages * point // CURVE_POINTS) for point in range(1, CURVE_POINTS + 1)]
