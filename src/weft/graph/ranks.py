"""What the links say of the worth of pages.

pagerank    where somebody is who follows links at random, and begins anywhere again with probability 1 - .85; from a
            page without links (dangling) the next one is any, too. Scores add up to 1
hits        hubs link to good authorities, authorities are linked from good hubs: the greatest singular vectors of the
            matrix of links. Each kind of scores adds up to 1
opic        the cash that came along links, as pages were visited: with the shares that the order gave, if it gave
            any; otherwise each node begins with 1/n, and a page gives evenly what it has when it is visited
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.sparse import csr_array

from weft.graph.kinds import DAMPING, Kind
from weft.graph.links import Links, Numbers, Scores
from weft.graph.visits import in_order_of_visit

TOLERANCE: Final = 1e-10  # what all scores together may be off by, about
# By then the most that scores can be off by is .85^k: 1e-14.
MOST_STEPS: Final = 200
HITS_TOLERANCE: Final = 1e-13  # of the greatest value, by which its vector may be none
BASIS_VECTORS: Final = 16  # kept at once, 8 bytes a node each
MOST_RESTARTS: Final = 50  # of so many steps; if two communities are nearly equally good, any mixture will do


def ranks(kind: Kind, links: Links, pages: Iterable[tuple[bytes, bytes]]) -> dict[str, Scores]:
    """Scores by what they are of. `pages` are the rows of `page`; they are read only if the order of visits matters."""
    if kind == "pagerank":
        return {"pagerank": pagerank(links)}
    if kind == "hits":
        hubs, authorities = hits(links)
        return {"authorities": authorities, "hubs": hubs}
    is_given = bool(links.heads.any())
    return {"opic": opic(links, in_order_of_visit(() if is_given else pages, links.nodes))}


def pagerank(links: Links) -> Scores:
    """The PageRank of each node."""
    count = len(links.nodes)
    if not count:
        return np.zeros(0)
    leading_here = _matrix(links).T
    degrees = np.diff(links.starts)
    is_dangling = degrees == 0
    shares = DAMPING / np.maximum(degrees, 1)
    scores = np.full(count, 1 / count)
    for _ in range(MOST_STEPS):
        before = scores
        scores = leading_here @ (before * shares)
        # What did not go along a link is spread over all: a new beginning, or a page without links.
        scores += (1 - DAMPING + DAMPING * before[is_dangling].sum()) / count
        scores /= scores.sum()  # rounding adds up
        # What is still to come is at most a geometric series.
        if np.abs(scores - before).sum() < TOLERANCE * (1 - DAMPING):
            break
    return scores


def hits(links: Links) -> tuple[Scores, Scores]:
    """Hubs and authorities. Without links all are 0."""
    count = len(links.nodes)
    if not len(links.targets):
        return np.zeros(count), np.zeros(count)
    leading_on = _matrix(links)
    authorities = _greatest(leading_on)
    hubs = leading_on @ authorities
    return hubs / hubs.sum(), authorities / authorities.sum()


def opic(links: Links, visited: Numbers) -> Scores:
    """The cash that came to each node. `visited`: pages in the order of their visits, for when no shares are known."""
    if links.heads.any():
        received: Scores = _matrix(links).T @ links.heads
        return received
    count = len(links.nodes)
    cash = np.full(count, 1 / max(count, 1))
    starts = links.starts
    for page in visited:
        targets = links.targets[starts[page] : starts[page + 1]]
        if len(targets):
            cash[targets] += cash[page] / len(targets)  # each target is there once
    return cash


def _matrix(links: Links) -> csr_array:
    """1 where a node links to another. Shares the arrays of `links`."""
    count = len(links.nodes)
    return csr_array((np.ones(len(links.targets)), links.targets, links.starts), shape=(count, count))


def _greatest(leading_on: csr_array) -> Scores:
    """The greatest right singular vector, without signs: by Lanczos' method, begun again with the best vector so far.

    Begun with all ones, it finds what a power iteration from there would, in fewer steps. So equally good communities
    share the score, and none is chosen by chance.
    """
    vector = np.ones(leading_on.shape[0])
    for _ in range(MOST_RESTARTS):
        basis, diagonal, beside = _krylov(leading_on, vector)
        values, vectors = eigh_tridiagonal(diagonal, beside[:-1])
        vector = vectors[:, -1] @ basis
        if beside[-1] * abs(vectors[-1, -1]) <= HITS_TOLERANCE * values[-1]:
            break
    return np.abs(vector)


def _krylov(leading_on: csr_array, vector: Scores) -> tuple[Scores, Scores, Scores]:
    """A basis of what powers of the matrix (from authorities to hubs and back) make of a vector, and the matrix in it.

    That has three diagonals, of which two are equal; the last value is what leads out of the basis.
    """
    leading_here = leading_on.T
    basis = np.empty((BASIS_VECTORS, len(vector)))
    diagonal, beside = [], []
    basis[0] = vector / np.linalg.norm(vector)
    for size in range(1, BASIS_VECTORS + 1):
        known = basis[:size]
        vector = leading_here @ (leading_on @ known[-1])
        diagonal.append(known[-1] @ vector)
        for _ in range(2):  # once more, for what rounding left
            vector -= (known @ vector) @ known
        beside.append(np.linalg.norm(vector))
        if size == BASIS_VECTORS or beside[-1] <= HITS_TOLERANCE * max(diagonal):
            break
        basis[size] = vector / beside[-1]
    return known, np.array(diagonal), np.array(beside)
