"""`weft.rank`: the best URLs of a crawl, as networkx finds them."""

from __future__ import annotations

from pathlib import Path

import networkx
import pytest

import weft
from tests.graph.crawls import HOME, WEB, make_crawl
from weft.errors import BadInput
from weft.folder.node_urls import name_without_url
from weft.graph.rows import node_of
from weft.url import url_id

UNKNOWN = name_without_url(node_of(url_id(HOME + "unknown")))
GRAPH = networkx.DiGraph(
    [(page, UNKNOWN if target == HOME + "unknown" else target) for page, targets in WEB.items() for target in targets]
)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return make_crawl(tmp_path / "crawl")


def test_pagerank_is_that_of_networkx_the_best_first(crawl: Path) -> None:
    found = weft.rank(crawl, top=100)
    assert (found.by, found.urls, found.links) == ("pagerank", len(GRAPH), GRAPH.size())
    (best,) = found.best.values()
    assert {one.url: one.score for one in best} == pytest.approx(networkx.pagerank(GRAPH, tol=1e-14), abs=1e-9)
    assert [one.score for one in best] == sorted((one.score for one in best), reverse=True)
    assert best[0].url == HOME


def test_hits_has_authorities_and_hubs(crawl: Path) -> None:
    found = weft.rank(crawl, "hits", top=100)
    hubs, authorities = networkx.hits(GRAPH, tol=1e-13, max_iter=1000)
    for name, expected in (("hubs", hubs), ("authorities", authorities)):
        assert {one.url: one.score for one in found.best[name]} == pytest.approx(expected, abs=1e-9)


def test_cash_moves_in_the_order_of_visits(crawl: Path) -> None:
    expected = dict.fromkeys(GRAPH, 1 / len(GRAPH))
    for page in WEB:
        share = expected[page] / len(GRAPH[page])
        for target in GRAPH[page]:
            expected[target] += share
    (best,) = weft.rank(crawl, "opic", top=100).best.values()
    assert {one.url: one.score for one in best} == pytest.approx(expected)


def test_shares_that_the_crawl_gave_are_taken_instead(tmp_path: Path) -> None:
    crawl = make_crawl(tmp_path / "crawl", shares={HOME: 0.25, HOME + "1": 0.5})
    (best,) = weft.rank(crawl, "opic", top=3).best.values()
    assert {one.url: one.score for one in best} == {HOME + "2": 0.75, HOME: 0.5, HOME + "forbidden": 0.5}


def test_only_the_best_are_told(crawl: Path) -> None:
    (best,), (all_of_them,) = (weft.rank(crawl, top=top).best.values() for top in (2, 100))
    assert best == all_of_them[:2]


def test_the_folders_of_a_clusters_nodes_are_one_graph(crawl: Path, tmp_path: Path) -> None:
    """Each has pages of its own, and both have one that changed hands."""
    pages = list(WEB.items())
    nodes = [
        make_crawl(tmp_path / "a", dict(pages[:3]), node="a"),
        make_crawl(tmp_path / "b", dict(pages[2:]), node="b"),
    ]
    for way in ("pagerank", "opic"):
        together, alone = (weft.rank(folder, way, top=100) for folder in (nodes, crawl))
        assert together.links == alone.links
        scores = [{one.url: one.score for one in found.best[way]} for found in (together, alone)]
        assert scores[0] == pytest.approx(scores[1])


def test_a_crawl_without_a_graph_is_refused_with_the_flag_that_keeps_one(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"crawl has no link graph: .*--graph"):
        weft.rank(make_crawl(tmp_path / "crawl", {}))


def test_a_way_or_a_number_that_means_nothing_is_refused(crawl: Path) -> None:
    with pytest.raises(BadInput, match=r"'trust'.*pagerank, hits, opic"):
        weft.rank(crawl, "trust")
    with pytest.raises(BadInput, match="at least 1"):
        weft.rank(crawl, top=0)
