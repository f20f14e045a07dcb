"""`weft.rank`: which pages of a crawl the links say are best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from weft.errors import BadInput
from weft.folder.node_urls import name_without_url, urls_of
from weft.folder.readings import Folders, open_reader, paths_of
from weft.graph.arrays import refuse_without_arrays
from weft.graph.kinds import kind_named

if TYPE_CHECKING:
    from weft.graph.links import Links, Scores

TOP: Final = 20


class Ranked(msgspec.Struct, frozen=True):
    """A URL and what it is worth."""

    score: float
    url: str


class Ranking(msgspec.Struct, frozen=True):
    """The best URLs of a crawl."""

    by: str
    urls: int  # that have links or are linked to
    links: int
    best: dict[str, list[Ranked]]  # by what they are best as: pagerank, opic, or authorities and hubs


def rank(folder: Folders, by: str = "pagerank", *, top: int = TOP) -> Ranking:
    """The best URLs of a crawl by its link graph, which a crawl with `graph=True` keeps; it may still run.

    `by` is pagerank (damping 0.85; pages without links spread evenly), hits (authorities and hubs) or opic. A list of
    folders: those of the nodes of one cluster's crawl.
    """
    kind = kind_named(by)
    if top < 1:
        raise BadInput(f"top is at least 1, not {top}")
    paths = paths_of(folder)
    refuse_without_arrays()
    from weft.graph.links import read_links
    from weft.graph.ranks import ranks

    with open_reader(paths) as reader:
        reader.refuse_without_graph()
        links = read_links(reader.database.scan("graph"))
        scores = ranks(kind, links, reader.database.scan("page"))
        best = {name: _best(links, each, top) for name, each in scores.items()}
        urls = urls_of(reader.database, {node for each in best.values() for node, _ in each})
    named = {
        name: [Ranked(score, urls.get(node) or name_without_url(node)) for node, score in each]
        for name, each in best.items()
    }
    return Ranking(kind, len(links.nodes), len(links.targets), named)


def _best(links: Links, scores: Scores, top: int) -> list[tuple[int, float]]:
    """Nodes and scores, the best first; among equals, in the order of nodes."""
    order = (-scores).argsort(kind="stable")[:top]
    return list(zip(links.nodes[order].tolist(), scores[order].tolist(), strict=True))
