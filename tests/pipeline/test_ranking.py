"""The graph is ranked while it grows, and what waits moves."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path

import networkx as nx
import pytest

from weft.pipeline import ranking
from weft.pipeline.ranking import Ranking

from .live_site import Answer, html, links, served
from .test_orders import graph_in, node, random_web, standings_in

WITHIN_S = 60


@pytest.mark.parametrize("order", ["pagerank", "hits"])
def test_what_waits_stands_as_the_whole_graph_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    web = random_web(3, pages=400, most_links=12)
    asked: list[str] = []
    is_ranked = threading.Event()

    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        asked.append(path)
        if len(asked) == 120:  # of these nothing more is known until the graph has been ranked
            assert is_ranked.wait(WITHIN_S)
        return html(links(*web[path]), path)

    move = Ranking._move

    def told(self: Ranking, frames: bytes) -> None:
        move(self, frames)
        is_ranked.set()

    monkeypatch.setattr(Ranking, "_move", told)
    monkeypatch.setattr(ranking, "FEWEST_PAGES", 119)
    monkeypatch.setattr(ranking, "GROWTH", 100)
    with served(answer) as site:
        site.crawl(tmp_path / "crawl", order=order, max_pages=120, connections_per_host=1)
    whole = nx.DiGraph()
    for page, (_, targets) in graph_in(tmp_path / "crawl").items():
        if page != node(site.origin + asked[119]):  # it came last, when the ranks were there
            whole.add_edges_from((page, target) for target in targets)
    scores = nx.pagerank(whole, tol=1e-10) if order == "pagerank" else nx.hits(whole, max_iter=1000, tol=1e-12)[1]
    waiting = {int.from_bytes(key[:8], "big"): score for key, score in standings_in(tmp_path / "crawl").items()}
    last = {node(site.origin + to) for to in web[asked[119]]}
    compared = [one for one in waiting if one in scores and one not in last and scores[one] > 1e-9]
    assert len(compared) > 50
    ratios = [waiting[one] / scores[one] for one in compared]
    assert max(ratios) == pytest.approx(min(ratios), rel=1e-3)


def test_without_its_process_a_crawl_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    web = random_web(3, pages=150)
    asked: list[str] = []
    has_failed = threading.Event()

    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        asked.append(path)
        if len(asked) == 40:
            assert has_failed.wait(WITHIN_S)
        return html(links(*web[path]), path)

    give_up = Ranking._give_up

    def told(self: Ranking, said: str) -> None:
        give_up(self, said)
        has_failed.set()

    monkeypatch.setattr(Ranking, "_give_up", told)
    monkeypatch.setattr(ranking, "FEWEST_PAGES", 30)
    monkeypatch.setattr(ranking, "MODULE", "weft.graph.nowhere")
    with served(answer) as site:
        files = site.crawl(tmp_path / "crawl", order="pagerank", connections_per_host=1)
        assert site.pages(files) == set(web)
    assert "the order goes on without ranks of the whole graph: " in capfd.readouterr().err
