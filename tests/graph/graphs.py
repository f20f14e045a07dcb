"""Link graphs for tests: as rows, as a database, and as networkx has them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import networkx

from weft.graph.rows import edges_of, key_of, row
from weft.state import State

Graph = Mapping[int, Sequence[int]]  # the nodes that each page links to


def id_of(node: int) -> bytes:
    """A URL id of a node."""
    return key_of(node) + b"8 others"


def rows_of(graph: Graph, heads: Mapping[int, float] | None = None) -> list[tuple[bytes, bytes]]:
    """The rows of a graph, in order."""
    return [
        (key_of(page), row((heads or {}).get(page, 0.0), edges_of(b"".join(map(id_of, targets)))))
        for page, targets in sorted(graph.items())
    ]


def write_graph(path: Path, graph: Graph, heads: Mapping[int, float] | None = None) -> None:
    """A database that has nothing but a graph, or one more graph in what is there."""
    state = State(path)
    batch = state.batch()
    for key, value in rows_of(graph, heads):
        batch.put("graph", key, value)
    state.write(batch)
    state.close()


def networkx_of(graph: Graph) -> networkx.DiGraph:
    """The same graph, with pages that have no links and to which none leads."""
    same = networkx.DiGraph([(page, target) for page, targets in graph.items() for target in targets])
    same.add_nodes_from(graph)
    return same


def random_graph(seed: int, *, nodes: int = 400, links: int = 6, parts: int = 1, self_links: bool = False) -> Graph:
    """Pages of a few sites, some without links, in parts that do not know each other. Good ones are linked to more."""
    chance = random.Random(seed)
    graph: dict[int, list[int]] = {}
    for _ in range(parts):
        buckets = [chance.randrange(1 << 16) for _ in range(4)]
        urls = sorted({chance.choice(buckets) << 48 | chance.randrange(1 << 48) for _ in range(nodes // parts)})
        worth = [chance.paretovariate(1.2) for _ in urls]
        for page in urls:
            if chance.random() < 0.3:
                continue  # never visited, or without links
            targets = set(chance.choices(urls, worth, k=chance.randrange(1, 2 * links)))
            graph[page] = sorted(targets if self_links else targets - {page})
    return graph
