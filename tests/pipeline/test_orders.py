"""Orders at work: what a crawl visits first, what waits by then, and what is known of it."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from weft.api.report import report
from weft.config import CrawlConfig
from weft.errors import BadInput
from weft.folder.layout import database_of, load_config
from weft.frontier.places import read_place
from weft.graph.rows import NODE_BYTES, parse
from weft.order.opic import FROM_NOWHERE
from weft.order.order import PageDone, Wants
from weft.order.scores import STEPS_PER_DOUBLING
from weft.pipeline.crawl import Crawl
from weft.state import State
from weft.types import Link, Standing
from weft.url import url_id

from .crawling import crawl_all
from .live_site import Answer, Handler, LiveSite, html, links, served

Web = Mapping[str, list[str]]


def random_web(seed: int, pages: int = 60, most_links: int = 6) -> Web:
    """Pages of which each can be reached, with links to and fro."""
    chance = random.Random(seed)
    paths = ["/", *(f"/{number}" for number in range(1, pages))]
    web: dict[str, list[str]] = {path: [] for path in paths}
    for number, path in enumerate(paths[1:], 1):
        web[paths[chance.randrange(number)]].append(path)
    for path in paths:
        web[path] += chance.sample(paths, chance.randrange(most_links))
        chance.shuffle(web[path])
    return web


def pages_of(web: Web) -> Handler:
    def answer(path: str, _headers: Mapping[str, str]) -> Answer:
        return html(links(*web[path]), path)

    return answer


def one_by_one(site: LiveSite, folder: Path, order: str, **changes: Any) -> list[str]:
    """Visit a site on one connection; the paths in the order in which they were asked for."""
    crawl_all(folder, site.config(order=order, connections_per_host=1, **changes))
    return site.asked


def depth_first(web: Web) -> list[str]:
    """As a textbook has it: a page, then for each of its links that is not visited yet the same again."""
    visited: dict[str, None] = {}
    ways: list[Iterator[str]] = [iter(["/"])]
    while ways:
        path = next(ways[-1], None)
        if path is None:
            ways.pop()
        elif path not in visited:
            visited[path] = None
            ways.append(iter(web[path]))
    return list(visited)


def breadth_first(web: Web) -> list[str]:
    """As a textbook has it."""
    found, waiting = {"/"}, deque(["/"])
    visited = []
    while waiting:
        visited.append(path := waiting.popleft())
        for other in web[path]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return visited


@pytest.mark.parametrize("seed", range(3))
def test_dfs_visits_as_a_textbook_does(tmp_path: Path, seed: int) -> None:
    web = random_web(seed)
    with served(pages_of(web)) as site:
        assert one_by_one(site, tmp_path / "crawl", "dfs") == depth_first(web)


@pytest.mark.parametrize("seed", range(3))
def test_bfs_visits_as_a_textbook_does(tmp_path: Path, seed: int) -> None:
    web = random_web(seed)
    with served(pages_of(web)) as site:
        assert one_by_one(site, tmp_path / "crawl", "bfs") == breadth_first(web)


def standings_in(folder: Path) -> dict[bytes, float]:
    """The score of each URL that waits."""
    state = State(database_of(folder), is_read_only=True)
    try:
        return {key: read_place(value)[0].score for key, value in state.scan("place")}
    finally:
        state.close()


def graph_in(folder: Path) -> dict[int, tuple[float, list[int]]]:
    """What was given to each link of each page, and to which nodes."""
    state = State(database_of(folder), is_read_only=True)
    try:
        return {int.from_bytes(key, "big"): parse(value) for key, value in state.scan("graph")}
    finally:
        state.close()


def node(url: str) -> int:
    return int.from_bytes(url_id(url)[:NODE_BYTES], "big")


def test_the_graph_has_every_link_of_every_page_also_those_found_before(tmp_path: Path) -> None:
    web = random_web(7)
    with served(pages_of(web)) as site:
        site.crawl(tmp_path / "crawl", graph=True, workers=2)
        graph = graph_in(tmp_path / "crawl")
        assert graph == {
            node(site.origin + path): (0.0, sorted({node(site.origin + to) for to in targets if to != path}))
            for path, targets in web.items()
        }


def test_no_graph_is_kept_unless_somebody_wants_it(tmp_path: Path) -> None:
    with served(pages_of(random_web(7))) as site:
        site.crawl(tmp_path / "crawl")
        assert graph_in(tmp_path / "crawl") == {}
        assert standings_in(tmp_path / "crawl") == {}


def test_opic_counts_every_link_to_what_waits(tmp_path: Path) -> None:
    web = random_web(3, pages=200, most_links=12)
    with served(pages_of(web)) as site:
        one_by_one(site, tmp_path / "crawl", "opic", graph=True, max_pages=40)
        cash: dict[int, float] = defaultdict(float)
        for given, nodes in graph_in(tmp_path / "crawl").values():
            for target in nodes:
                cash[target] += given
        waiting = standings_in(tmp_path / "crawl")
        assert len(waiting) > 20
        assert {int.from_bytes(key[:NODE_BYTES], "big"): score for key, score in waiting.items()} == {
            int.from_bytes(key[:NODE_BYTES], "big"): pytest.approx(cash[int.from_bytes(key[:NODE_BYTES], "big")])
            for key in waiting
        }


def test_opic_visits_what_has_most_cash(tmp_path: Path) -> None:
    web = random_web(5, pages=120, most_links=10)
    with served(pages_of(web)) as site:
        asked = one_by_one(site, tmp_path / "crawl", "opic")
    cash: dict[str, float] = defaultdict(float) | {"/": 1.0}
    visited: set[str] = set()
    for path in asked:
        best = max(amount for other, amount in cash.items() if other not in visited)
        assert cash[path] >= best / 2 ** (1 / STEPS_PER_DOUBLING) * 0.999, path  # ranks are steps
        visited.add(path)
        targets = [to for to in dict.fromkeys(web[path]) if to != path]
        for to in targets:
            cash[to] += (cash[path] + FROM_NOWHERE) / len(targets)
    assert len(asked) == len(web)


class Broken:
    """Raises at every second question, and answers the others wrongly."""

    wants = Wants()
    questions = 0

    def _answer(self, wrong: object) -> object:
        self.questions += 1
        if self.questions % 2:
            raise RuntimeError("no idea")
        return wrong

    def rank(self, link: Link) -> int:
        return self._answer("first")  # type: ignore[return-value]

    def first(self, link: Link) -> Standing:
        return self._answer(None)  # type: ignore[return-value]

    def standings(self, page: PageDone) -> list[Standing]:
        return self._answer([Standing(float("nan")), "x"])  # type: ignore[return-value]

    def merged(self, known: Standing, new: Standing) -> Standing:
        return self._answer(3)  # type: ignore[return-value]

    def rank_of(self, score: float) -> int:
        return self._answer(10**9)  # type: ignore[return-value]


def test_an_order_that_raises_costs_scores_and_no_page(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    web = random_web(11)
    with served(pages_of(web)) as site:
        files = site.crawl(tmp_path / "crawl", order=f"{__name__}:Broken")
        assert site.pages(files) == set(web)
    assert capfd.readouterr().err.count("the order Broken failed, the crawl goes on") == 5


# ── a topic ────────────────────────────────────────────────────────────────────────────────────────────


def on_topic(path: str, _headers: Mapping[str, str]) -> Answer:
    """A site in two halves: /b/… about bees, deeper and deeper, and /c/… about clouds, wide."""
    if path == "/":
        return html('<p>Welcome. <a href="/c/0">The sky</a> <a href="/b/0">All about bees</a>')
    half, number = path[1], int(path.split("/")[2])
    if half == "b":
        text = "<p>" + "Bees make honey, and a hive has a queen. " * 20
        return html(text + (f'<p><a href="/b/{number + 1}">more of bees</a>' if number < 20 else ""))
    return html(
        "<p>" + "Rain and wind. " * 50 + links(*(f"/c/{number * 3 + more}" for more in (1, 2, 3) if number < 20))
    )


@pytest.mark.parametrize("order", ["best-first", "shark", "fish"])
def test_an_order_with_a_topic_goes_where_the_topic_is(tmp_path: Path, order: str) -> None:
    with served(on_topic) as site:
        asked = one_by_one(site, tmp_path / "crawl", order, topic="bees honey hive", max_pages=20)
        assert sum(path.startswith("/b") for path in asked) >= 15, asked


def test_the_report_says_how_much_of_what_was_found_was_fetched(tmp_path: Path) -> None:
    with served(on_topic) as site:
        one_by_one(site, tmp_path / "shark", "shark", topic="bees honey hive", max_pages=20)
        one_by_one(site, tmp_path / "bfs", "bfs", max_pages=20)
        one_by_one(site, tmp_path / "dfs", "dfs", max_pages=20)
    value = report(tmp_path / "shark").value
    assert value is not None
    assert (value.order, value.relevant) == ("shark", 19)
    assert 50 < value.fetched_percent < 100
    assert value.relevant_percent == 95.0
    assert report(tmp_path / "bfs").value is report(tmp_path / "dfs").value is None


def test_a_topic_may_be_learned_from_a_file_or_from_pages(tmp_path: Path) -> None:
    (tmp_path / "bees.txt").write_text("The hive, the honey, the queen and her bees. Bees again, and honey.")
    with served(on_topic) as site:
        asked = one_by_one(site, tmp_path / "by-file", "shark", topic_file=str(tmp_path / "bees.txt"), max_pages=20)
        assert sum(path.startswith("/b") for path in asked) >= 15, asked
        asked.clear()
        of_page = {"topic_pages": (f"{site.origin}/b/20",), "archive": "none"}  # the topic's own crawl has one
        one_by_one(site, tmp_path / "by-page", "shark", max_pages=20, **of_page)
        assert asked[0] == "/b/20", "it is fetched before all"
        assert sum(path.startswith("/b") for path in asked) >= 15, asked
    config = load_config(tmp_path / "by-page")
    assert {"bees", "honey", "hive", "queen"} <= {word for word, _ in config.topic_words}


def test_pages_of_a_topic_that_cannot_be_had_are_told(tmp_path: Path) -> None:
    with served(lambda path, headers: (404, {}, "")) as site, pytest.raises(BadInput, match="none could be fetched"):
        one_by_one(site, tmp_path / "crawl", "shark", topic_pages=(f"{site.origin}/nowhere",))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"order": "shark"}, "the order shark needs to know what to look for: --topic WORDS"),
        (
            {"order": "opic", "topic": "bees"},
            "the order opic does not look at a topic; these do: best-first, fish, sha",
        ),
        ({"topic": "bees"}, "the order bfs does not look at a topic"),
        ({"order": "fish", "topic": " ,, "}, "the topic ' ,, ' has no words"),
        ({"order": "fish", "topic_file": "/nowhere/topic.txt"}, "the topic's file cannot be read: .*No such file"),
        ({"order": "dfs", "patience": 5}, "depth first has no patience"),
        ({"order": "deep"}, "unknown order 'deep'; known are bfs, dfs, best-first"),
    ],
)
def test_a_topic_that_does_not_fit_is_told_in_one_sentence(tmp_path: Path, settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Crawl.create(tmp_path / "crawl", CrawlConfig(seeds=("http://127.0.0.1/",), **settings))
    assert not (tmp_path / "crawl").exists()
