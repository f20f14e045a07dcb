"""PageRank of a graph that is known as a whole: damping .85, pages without links give to all evenly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

DAMPING = 0.85
TOLERANCE = 1e-12
MOST_ROUNDS = 500


def page_ranks(targets: Sequence[Sequence[int]]) -> list[float]:
    """Of each page, by the pages that each links to; all together 1."""
    count = len(targets)
    degrees = np.array([len(links) for links in targets])
    sources = np.repeat(np.arange(count), degrees)
    ends = np.fromiter((target for links in targets for target in links), dtype=np.int64)
    given = csr_array((1.0 / degrees[sources], (ends, sources)), shape=(count, count))
    ranks = np.full(count, 1.0 / count)
    for _ in range(MOST_ROUNDS):
        before = ranks
        ranks = DAMPING * (given @ before + before[degrees == 0].sum() / count) + (1 - DAMPING) / count
        if np.abs(ranks - before).sum() < TOLERANCE:
            return [float(rank) for rank in ranks]
    raise AssertionError("PageRank does not converge")
