"""Ranks are those of networkx and of dense algebra, to 1e-6 and better."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import networkx
import numpy as np
import pytest

from tests.html_files import some_html_files
from weft.graph.links import Links, Scores, read_links
from weft.graph.ranks import hits, opic, pagerank
from weft.graph.rows import node_of
from weft.parse import parse_html
from weft.url import url_id

from .graphs import Graph, networkx_of, random_graph, rows_of

REAL_PAGES = [
    Path("/usr/share/doc/openjdk-17-jre-headless/api/java.base"),
    Path("/usr/share/doc/openjdk-17-doc/api/java.base"),
    Path("/usr/share/doc"),
]
RANDOM = {
    "one part": random_graph(1),
    "with self links": random_graph(2, self_links=True),
    "five parts": random_graph(3, nodes=500, parts=5),
    "few links": random_graph(4, links=2),
    "two pages": {1: [2], 2: [1, 3]},
    "one link": {1: [2]},
    "one node": {1: [1]},
    "few nodes": random_graph(5, nodes=12, links=3),
}


def by_node(links: Links, scores: Scores) -> dict[int, float]:
    return dict(zip(links.nodes.tolist(), scores.tolist(), strict=True))


def assert_equal(found: Mapping[int, float], expected: Mapping[int, float], within: float = 1e-9) -> None:
    assert found.keys() == expected.keys()
    assert max(abs(found[node] - expected[node]) for node in found) < within


@pytest.mark.parametrize("graph", RANDOM.values(), ids=RANDOM)
def test_pagerank_is_that_of_networkx_and_of_a_dense_solution(graph: Graph) -> None:
    links = read_links(rows_of(graph))
    found = by_node(links, pagerank(links))
    assert_equal(found, networkx.pagerank(networkx_of(graph), alpha=0.85, tol=1e-14, max_iter=1000))
    assert_equal(found, dense_pagerank(graph))


def test_on_links_of_real_pages_all_is_as_networkx_has_it() -> None:
    if (real := some_html_files(REAL_PAGES, 1_000)) is None:
        pytest.skip("no documentation here")
    graph = link_graph(*real)
    links = read_links(rows_of(graph))
    assert len(links.targets) > 10 * len(graph)
    assert_equal(by_node(links, pagerank(links)), networkx.pagerank(networkx_of(graph), tol=1e-14, max_iter=1000))
    expected = networkx.hits(networkx_of(graph), max_iter=10_000, tol=1e-13)
    for found, of_networkx in zip(hits(links), expected, strict=True):
        assert_equal(by_node(links, found), of_networkx)


@pytest.mark.parametrize("name", RANDOM)
def test_hubs_and_authorities_are_those_of_dense_algebra(name: str) -> None:
    links = read_links(rows_of(RANDOM[name]))
    hubs, authorities = dense_hits(RANDOM[name])
    for found, expected in zip(hits(links), (hubs, authorities), strict=True):
        assert_equal(by_node(links, found), expected)


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_hubs_and_authorities_are_those_of_networkx(seed: int) -> None:
    graph = random_graph(seed, nodes=300)
    links = read_links(rows_of(graph))
    expected = networkx.hits(networkx_of(graph), max_iter=10_000, tol=1e-12)
    for found, of_networkx in zip(hits(links), expected, strict=True):
        assert_equal(by_node(links, found), of_networkx)


def test_equally_good_communities_share_the_score() -> None:
    """Twenty sites of one form: none of them is better because it comes first."""
    graph = {site << 48 | page: [site << 48 | 100, site << 48 | 101] for site in range(20) for page in range(3)}
    links = read_links(rows_of(graph))
    hubs, authorities = hits(links)
    assert np.allclose(hubs[hubs > 1e-12], 1 / 60)
    assert np.allclose(authorities[authorities > 1e-12], 1 / 40)


def test_without_links_there_are_no_hubs_and_pages_rank_alike() -> None:
    links = read_links(rows_of({1: [], 2: []}))
    assert [scores.tolist() for scores in hits(links)] == [[0, 0], [0, 0]]
    assert pagerank(links).tolist() == [0.5, 0.5]
    nothing = read_links([])
    assert not len(pagerank(nothing))
    assert not len(hits(nothing)[0])
    assert not len(opic(nothing, np.empty(0, np.int64)))


def test_cash_goes_evenly_along_links_as_pages_are_visited() -> None:
    links = read_links(rows_of({1: [2, 3], 2: [3, 4], 3: [1]}))
    in_order = opic(links, np.array([0, 1, 2]))
    # 1 gives 1/8 each to 2 and 3; 2 has 3/8 then and gives 3/16 each to 3 and 4; 3 has 9/16, which goes to 1.
    assert in_order.tolist() == [1 / 4 + 9 / 16, 3 / 8, 9 / 16, 7 / 16]
    assert opic(links, np.array([2, 1, 0])).tolist() == [1 / 2, 1 / 2, 5 / 8, 3 / 8]


def test_shares_that_the_order_gave_are_added_up() -> None:
    graph = random_graph(6)
    shares = {page: 1 / (number + 1) for number, page in enumerate(graph)}
    links = read_links(rows_of(graph, shares))
    received = dict.fromkeys(links.nodes.tolist(), 0.0)
    for page, targets in graph.items():
        for target in targets:
            received[target] += shares[page]
    assert_equal(by_node(links, opic(links, np.empty(0, np.int64))), received)


def link_graph(folder: Path, files: list[Path]) -> Graph:
    """What these files link to, as if they were on a web server."""
    graph = {}
    for file in files:
        url = f"http://docs.test/{file.relative_to(folder)}"
        page = parse_html(file.read_bytes(), url, "text/html", embeds=False)
        graph[node_of(url_id(url))] = sorted({node_of(url_id(link.url)) for link in page.links})
    return graph


def dense_pagerank(graph: Graph) -> dict[int, float]:
    nodes, matrix = dense(graph)
    count = len(nodes)
    degrees = matrix.sum(axis=1, keepdims=True)
    step = np.where(degrees > 0, matrix / np.maximum(degrees, 1), 1 / count)
    scores = np.linalg.solve(np.eye(count) - 0.85 * step.T, np.full(count, 0.15 / count))
    return dict(zip(nodes, scores.tolist(), strict=True))


def dense_hits(graph: Graph) -> tuple[dict[int, float], dict[int, float]]:
    nodes, matrix = dense(graph)
    _, _, right = np.linalg.svd(matrix)
    authorities = np.abs(right[0])
    hubs = matrix @ authorities
    return tuple(dict(zip(nodes, (one / one.sum()).tolist(), strict=True)) for one in (hubs, authorities))  # type: ignore[return-value]


def dense(graph: Graph) -> tuple[list[int], Scores]:
    nodes = sorted({*graph, *(target for targets in graph.values() for target in targets)})
    number_of = {node: number for number, node in enumerate(nodes)}
    matrix = np.zeros((len(nodes), len(nodes)))
    for page, targets in graph.items():
        for target in targets:
            matrix[number_of[page], number_of[target]] = 1
    return nodes, matrix
