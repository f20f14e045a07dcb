"""`weft rank` from the command line: what it prints and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx
import pytest

import weft
from tests.graph.crawls import HOME, make_crawl
from weft.simweb import SimProcess, WebSpec

from .running import Finished, assert_is_one_sentence, crawl, own_environment


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where `crawl` has a link graph."""
    make_crawl(tmp_path / "crawl")
    return tmp_path


def test_score_and_url_are_printed_the_best_first(place: Path) -> None:
    done = Finished("rank", "crawl", "--top", "3", cwd=place)
    assert (done.code, done.errors) == (0, "")
    lines = [line.split() for line in done.out.splitlines()]
    best = weft.rank(place / "crawl", top=3).best["pagerank"]
    assert [url for _, url in lines] == [one.url for one in best]
    assert [float(score) for score, _ in lines] == pytest.approx([one.score for one in best], rel=1e-6)
    assert lines[0][1] == HOME


def test_a_crawl_that_keeps_its_links_is_ranked_and_exported(tmp_path: Path) -> None:
    with SimProcess(WebSpec(hosts=3, pages=30, seed=7)) as sim:
        assert crawl(sim, tmp_path, "--quiet", "--graph").code == 0
    ranked = json.loads(Finished("rank", "crawl", "--top", "1000", "--json", cwd=tmp_path).out)
    best = {one["url"]: one["score"] for one in ranked["best"]["pagerank"]}
    done = Finished("export", "crawl", "--to", "graph", "-o", "-", cwd=tmp_path)
    graph = networkx.DiGraph(tuple(line.split("\t")) for line in done.out.splitlines())
    assert graph.size() == ranked["links"] > 50
    assert best == pytest.approx(networkx.pagerank(graph, tol=1e-14), abs=1e-9)
    visited = {page.url for page in weft.read(tmp_path / "crawl")}
    assert visited <= {*graph}
    assert not [url for url in graph if url.startswith("node:")], "each URL is known"


def test_hubs_stand_behind_authorities_each_under_its_name(place: Path) -> None:
    done = Finished("rank", "crawl", "--by", "hits", "--top", "2", cwd=place)
    assert done.code == 0
    found = weft.rank(place / "crawl", "hits", top=2).best
    urls = [line.rpartition(" ")[2] for line in done.out.splitlines()]
    authorities, hubs = ([one.url for one in found[name]] for name in ("authorities", "hubs"))
    assert urls == ["authorities", *authorities, "", "hubs", *hubs]


def test_as_json_all_is_one_object(place: Path) -> None:
    done = Finished("rank", "crawl", "--by", "opic", "--json", cwd=place)
    assert done.code == 0
    found = json.loads(done.out)
    assert (found["by"], found["urls"], found["links"]) == ("opic", 9, 12)
    assert found["best"]["opic"][0].keys() == {"score", "url"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["empty"], "no link graph: `weft crawl --graph`"),
        (["crawl", "--by", "trust"], "pagerank, hits, opic"),
        (["crawl", "--top", "0"], "--top"),
        (["nowhere"], "there is no folder nowhere"),
    ],
)
def test_what_cannot_be_ranked_gets_a_sentence(arguments: list[str], words: str, place: Path) -> None:
    make_crawl(place / "empty", {})
    done = Finished("rank", *arguments, cwd=place)
    assert done.code == (6 if arguments == ["nowhere"] else 2)
    assert_is_one_sentence(done)
    assert words in done.errors


@pytest.mark.parametrize(
    ("command", "library"),
    [(["rank", "crawl"], "scipy"), (["export", "crawl", "--to", "graph", "-o", "x.tsv"], "numpy")],
)
def test_without_numpy_and_scipy_the_user_reads_how_to_get_them(
    command: list[str], library: str, place: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shadow = tmp_path_factory.mktemp("shadow")
    (shadow / f"{library}.py").write_text("raise ImportError")
    done = Finished(*command, cwd=place, environment={"PYTHONPATH": f"{shadow}:{own_environment()['PYTHONPATH']}"})
    assert done.code == 2
    assert_is_one_sentence(done)
    assert " install numpy scipy" in done.errors


def test_the_help_says_the_damping_and_what_becomes_of_dangling_pages(place: Path) -> None:
    said = " ".join(Finished("rank", "--help", cwd=place).out.split())
    assert "damping 0.85" in said
    assert re.search(r"page without links gives its score to all URLs evenly", said)
