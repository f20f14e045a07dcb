"""The judge of `make bench-order`, and whether its web is a fair one."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from bench.clean.document import with_part
from bench.order.__main__ import PAGE, PARTS
from bench.order.contenders import CONTENDERS, Contender, contenders_named
from bench.order.crawl import CannotCrawl, in_order
from bench.order.documents import make_site, read_words, relevant_pages, stems
from bench.order.ideal import best_first, breadth_first, by_page_rank, ideal_visits, opic
from bench.order.judge import Worth, judge, mean_curve
from bench.order.oracle import page_ranks
from bench.order.real import pages_in
from bench.order.web import JudgedWeb, crawled, judged_web, must_hold, picture, table
from bench.server import ServerError
from bench.tools import PROJECT
from weft.simweb.topical import TopicalTruth


def truth_of(targets: list[list[int]], relevant: set[int] | None = None) -> TopicalTruth:
    """A web by hand, from page 0 on; no anchor misleads."""
    urls = [f"http://a.test/{page}" for page in range(len(targets))]
    misleading = [[False] * len(links) for links in targets]
    return TopicalTruth(urls, targets, misleading, frozenset(relevant or ()), frozenset(), [0])


@cache
def small_web() -> JudgedWeb:
    return judged_web(1, 6_000)


# ── the judge ──────────────────────────────────────────────────────────────────────────────────────────


def test_harvest_and_pagerank_are_those_of_the_pages_fetched() -> None:
    worth = judge("o", [3, 0, 1, 2], {1, 3, 4}, [0.1, 0.2, 0.05, 0.25, 0.4], hubs={2, 4})
    assert (worth.harvest, worth.relevant_found, worth.hubs) == (0.5, 2 / 3, 1)
    assert worth.rank == pytest.approx(0.6)
    assert worth.rank_of_best == pytest.approx(0.6 / 0.95)
    assert worth.harvest_curve[-1] == (4, 0.5)
    assert worth.harvest_curve[0] == (1, 1.0)


def test_a_page_fetched_twice_counts_where_it_came_first_and_nothing_counts_behind_the_budget() -> None:
    numbers = {"a": 0, "b": 1, "c": 2}
    assert in_order(["b", "robots.txt", "a", "b", "c"], numbers) == [1, 0, 2]
    assert in_order(["b", "robots.txt", "a", "b", "c"], numbers, budget=2) == [1, 0]


def test_the_oracle_is_pagerank_with_dangling_pages_that_give_to_all() -> None:
    ranks = page_ranks([[1, 2], [2], []])
    assert sum(ranks) == pytest.approx(1)
    spread = 0.15 / 3 + 0.85 * ranks[2] / 3
    assert ranks[0] == pytest.approx(spread)
    assert ranks[1] == pytest.approx(spread + 0.85 * ranks[0] / 2)
    assert ranks[2] == pytest.approx(spread + 0.85 * (ranks[0] / 2 + ranks[1]))


def test_curves_are_averaged_point_by_point() -> None:
    assert mean_curve([[(1, 0.0), (2, 1.0)], [(3, 1.0), (4, 0.0)]]) == [(2, 0.5), (3, 0.5)]


def worth_of(order: str, harvest: float, rank: float, of_best: float = 0.7) -> Worth:
    return Worth(order, 10, harvest, 0.1, rank, of_best, 0, [(5, harvest), (10, harvest)], [(5, rank), (10, rank)])


def test_an_order_is_measured_beside_bfs_on_the_same_web() -> None:
    worths = [worth_of("bfs", 0.1, 0.3), worth_of("shark", 0.2, 0.3), worth_of("opic", 0.1, 0.36, 0.9)]
    worths += [worth_of("bfs", 0.05, 0.3), worth_of("shark", 0.2, 0.3), worth_of("opic", 0.1, 0.3, 0.8)]
    measured = {line.what: line.measured for line in must_hold(worths)}
    assert measured["1. shark: harvest ÷ bfs's"] == pytest.approx((2 + 4) / 2)
    assert measured["2. opic: true PageRank ÷ bfs's"] == pytest.approx(1.1)
    assert measured["2. opic: true PageRank ÷ best possible"] == pytest.approx(0.85)
    assert measured["1. fish: harvest ÷ bfs's"] is None
    line = next(line for line in table(worths).splitlines() if line.startswith("shark"))
    assert line.split()[2:6] == ["20.0", "%", "3.00", "2.00"]
    assert ">shark</text>" in picture(worths)


def test_an_order_that_reads_is_told_the_topic() -> None:
    assert Contender("bfs").flags(["ice", "snow"]) == ["--order", "bfs"]
    assert Contender("shark", needs_topic=True).flags(["ice", "snow"]) == ["--order", "shark", "--topic", "ice snow"]
    assert contenders_named(["bfs", "my:Own"]) == [CONTENDERS[0], Contender("my:Own")]


# ── the web ────────────────────────────────────────────────────────────────────────────────────────────


def test_policies_visit_as_a_textbook_has_it() -> None:
    truth = truth_of([[1, 2], [3], [3, 4], [], []])
    assert breadth_first(truth, 9) == [0, 1, 2, 3, 4]
    assert best_first(truth, 9, lambda page, number, target: target) == [0, 2, 4, 3, 1]
    assert opic(truth, 9) == [0, 1, 3, 2, 4]  # page 3 is given all that 1 has
    assert by_page_rank(truth, 9) == [0, 1, 3, 2, 4]


def test_the_web_is_neither_hopeless_nor_too_kind() -> None:
    web = small_web()
    worth = {name: web.judge(name, visits) for name, visits in ideal_visits(web.truth, web.budget).items()}
    assert 0.03 < worth["bfs"].harvest < 0.1
    assert worth["best-first"].harvest > 3 * worth["bfs"].harvest
    assert worth["best-first"].harvest < 0.4  # half of the budget would be all relevant pages
    assert worth["bfs"].rank_of_best > 0.6  # bfs is known to be strong
    assert worth["pagerank"].rank > 1.15 * worth["bfs"].rank


def test_a_crawl_is_judged_by_the_requests_of_the_server(tmp_path: Path) -> None:
    web = small_web()
    worth = crawled(web, Contender("bfs"), tmp_path)
    assert worth.pages == web.budget
    ideal = web.judge("bfs", breadth_first(web.truth, web.budget))
    assert worth.rank == pytest.approx(ideal.rank, rel=0.1)
    assert list(tmp_path.iterdir()) == []


def test_an_order_that_weft_does_not_have_says_why(tmp_path: Path) -> None:
    with pytest.raises(CannotCrawl, match="unknown order"):
        crawled(small_web(), Contender("no-such"), tmp_path)


# ── real pages ─────────────────────────────────────────────────────────────────────────────────────────


def test_pages_are_the_files_that_were_sent(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    log = [
        "GET 200 127.0.0.1 /",
        "GET 200 127.0.0.1 /x.html?y",
        "GET 200 127.0.0.1 /a%20b/",
        "GET 404 127.0.0.1 /gone.html",
        "GET 200 127.0.0.1 /style.css",
        "GET 200 127.0.0.1 /x.html",
    ]
    assert pages_in(log, tmp_path) == ["index.html", "x.html", "a b/index.html"]


def test_relevant_is_the_twentieth_with_the_best_bm25() -> None:
    pages = [Counter(words=100, glacie=number) for number in range(40)] + [Counter(words=100)] * 60
    assert relevant_pages(pages, ["Glaciers"]) == {35, 36, 37, 38, 39}
    assert relevant_pages(pages[40:], ["Glaciers"]) == frozenset()


def test_words_are_what_a_reader_sees(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    page.write_text("<title>Locks</title><script>var lock</script><p>Two-phase <b>locking</b>: 2 locks")
    assert read_words(page) == Counter(["locks", "two", "phase", "lockin", "locks"])
    assert stems("Isolation_level") == ["isolat", "level"]
    page.write_text("")
    assert read_words(page) == Counter()


def test_a_site_links_to_where_each_package_begins(tmp_path: Path) -> None:
    start = tmp_path / "documents/usr/share/doc/sqlite3/index.html"
    start.parent.mkdir(parents=True)
    start.write_text("<p>SQLite")
    make_site(tmp_path / "documents", tmp_path / "site")
    assert (tmp_path / "site/doc/sqlite3/index.html").read_text() == "<p>SQLite"
    assert 'href="/doc/sqlite3/index.html">sqlite3-doc<' in (tmp_path / "site/index.html").read_text()
    with pytest.raises(ServerError, match="no documentation"):
        make_site(tmp_path / "nowhere", tmp_path / "other")


@pytest.mark.parametrize("name", PARTS)
def test_each_part_has_its_place_in_the_docs(name: str) -> None:
    assert "new figures" in with_part((PROJECT / "docs" / PAGE).read_text(), name, "new figures")
