"""Kills while an order scores and the graph is kept: what was known by then is known afterwards, once."""

from __future__ import annotations

import random
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.faults.crawls import resuming, wait_for_writes
from weft.folder.reading import CrawlReader
from weft.order import PageDone
from weft.order.shark import Shark
from weft.page.leads import Reader
from weft.pipeline.crawl import Crawl
from weft.types import Link, Standing
from weft.url import url_id

from .crawling import CrawlFiles
from .live_site import Answer, LiveSite, html, served
from .test_orders import Web, graph_in, node, random_web, standings_in

PAGES, VISITED = 360, 160


def pages_of(web: Web) -> dict[str, str]:
    """Pages of which some speak of bees, in their text or in their links."""
    chance = random.Random(1)
    made = {}
    for path, targets in web.items():
        text = "Bees make honey. " * chance.choice((0, 0, 0, 1, 5)) + "Rain falls. " * 50
        anchors = "".join(
            f'<p>{chance.choice(("Go", "Bees", "On", "Away"))} <a href="{to}">{chance.choice(("on", "bees"))}</a>'
            + " and rain" * 40
            for to in targets
        )
        made[path] = f"<p>{text}{anchors}"
    return made


def crawl_with_kills(site: LiveSite, folder: Path, kills: int, **settings: Any) -> None:
    """Up to VISITED pages, by processes that are killed on the way."""
    config = site.config(connections_per_host=1, max_pages=VISITED, graph=True, **settings)
    Crawl.create(folder, config).folder.close()
    chance = random.Random(kills)
    for _ in range(kills):
        with resuming(folder) as run:
            if not wait_for_writes(folder, run, chance.randrange(1, VISITED // kills)):
                break
            run.kill()
    with resuming(folder) as run:
        assert run.wait() == 3, run.errors  # the limit was reached


KILLS = [pytest.param(4), pytest.param(30, marks=pytest.mark.large)]


@pytest.mark.parametrize("kills", KILLS)
def test_opic_and_the_graph_lose_and_double_nothing_by_kills(tmp_path: Path, kills: int) -> None:
    web = random_web(4, PAGES, 12)
    pages = pages_of(web)

    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        return html(pages[path], path)

    with served(answer) as site:
        crawl_with_kills(site, tmp_path / "crawl", kills, order="opic")
    visited = Counter(row.url for row in CrawlFiles(tmp_path / "crawl").rows)
    assert set(visited.values()) == {1}
    assert len(visited) >= VISITED
    graph = graph_in(tmp_path / "crawl")
    assert {page: nodes for page, (_, nodes) in graph.items()} == {
        node(url): sorted({node(site.origin + to) for to in web[path] if to != path})
        for url in visited
        for path in [url.removeprefix(site.origin)]
    }
    cash: dict[int, float] = defaultdict(float)
    for given, nodes in graph.values():
        for target in nodes:
            cash[target] += given
    waiting = {int.from_bytes(key[:8], "big"): score for key, score in standings_in(tmp_path / "crawl").items()}
    assert len(waiting) > 50
    assert waiting == {one: pytest.approx(cash[one], rel=1e-9) for one in waiting}


@pytest.mark.parametrize("kills", KILLS)
def test_scores_of_shark_are_those_of_the_pages_after_kills_too(tmp_path: Path, kills: int) -> None:
    web = random_web(5, PAGES, 12)
    pages = pages_of(web)

    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        return html(pages[path], path)

    with served(answer) as site:
        crawl_with_kills(site, tmp_path / "crawl", kills, order="shark", topic="bees honey")
    assert standings_in(tmp_path / "crawl") == {
        key: pytest.approx(score, rel=1e-6) for key, score in shark_scores(tmp_path / "crawl").items()
    }


def shark_scores(folder: Path) -> dict[bytes, float]:
    """The scores of what waits, worked out from the archived pages in the order of their visits."""
    shark, waiting, visited = Shark(), dict[bytes, Standing](), set[bytes]()
    with CrawlReader(folder) as crawl:
        reader = Reader(crawl.config)
        for row in sorted(crawl.rows(), key=lambda row: row.fetched_at):
            page_id = url_id(row.url)
            visited.add(page_id)
            link = Link(row.url, row.depth, row.kind)
            standing = waiting.pop(page_id, None) or shark.first(link)
            leads = reader.leads_of(link, crawl.response(row))
            urls = [url for url, _, _ in leads.urls]
            worths = array("f", (leads.worths.get(url, 0.0) for url in urls)) if leads.worths else ()
            done = PageDone(standing, len(urls), leads.relevance, worths)
            for url, given in zip(urls, shark.standings(done), strict=True):
                key = url_id(url)
                if key not in visited:
                    waiting[key] = shark.merged(waiting[key], given) if key in waiting else given
    return {key: standing.score for key, standing in waiting.items()}
