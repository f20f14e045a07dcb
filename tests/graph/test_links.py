"""The graph as arrays says what its rows say."""

from __future__ import annotations

import numpy as np
import pytest

import weft.graph.links as links_module
from weft.graph.links import chunks_of, nodes_of, numbers_of, read_links

from .graphs import Graph, random_graph, rows_of

SMALL: Graph = {5: [7, 1 << 48, (9 << 48) + 3], 7: [5], 1 << 63: []}


@pytest.mark.parametrize("graph", [SMALL, {}, {3: []}, random_graph(1), random_graph(2, parts=5)])
def test_nodes_are_numbered_in_order_and_each_has_its_links(graph: Graph) -> None:
    links = read_links(rows_of(graph, {5: 0.25}))
    expected = sorted({*graph, *(target for targets in graph.values() for target in targets)})
    assert links.nodes.tolist() == expected
    for number, node in enumerate(expected):
        targets = links.nodes[links.targets[links.starts[number] : links.starts[number + 1]]]
        assert targets.tolist() == sorted(graph.get(node, []))
        assert links.heads[number] == (0.25 if node == 5 and 5 in graph else 0.0)


@pytest.mark.parametrize(("rows", "links"), [(1, 10**6), (7, 10**6), (10**6, 1), (10**6, 9)])
def test_in_however_many_chunks_rows_are_read_the_graph_is_the_same(
    rows: int, links: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = rows_of(random_graph(3))
    whole = read_links(stored)
    monkeypatch.setattr(links_module, "CHUNK_ROWS", rows)
    monkeypatch.setattr(links_module, "CHUNK_LINKS", links)
    assert len(list(chunks_of(stored))) > 1
    for one, other in zip(read_links(stored), whole, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(nodes_of(chunks_of(stored)), whole.nodes)


def test_numbers_of_nodes_are_found_and_of_others_it_is_said_that_they_are_none() -> None:
    nodes = read_links(rows_of(SMALL)).nodes
    numbers, are_there = numbers_of(np.array([7, 8, 0, 1 << 63, (1 << 64) - 1], np.uint64), nodes)
    assert are_there.tolist() == [True, False, False, True, False]
    assert nodes[numbers[are_there]].tolist() == [7, 1 << 63]
    _, are_there = numbers_of(nodes, nodes[:0])
    assert not are_there.any()
