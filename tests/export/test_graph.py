"""The link graph as files that others read: networkx, pyarrow, and whoever splits lines."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import networkx
import pyarrow.parquet
import pytest

import weft
import weft.graph.links as links_module
from tests.graph.crawls import HOME, WEB, Web, make_crawl
from weft.errors import BadInput
from weft.folder.node_urls import name_without_url
from weft.graph.rows import node_of
from weft.url import url_id

UNKNOWN = name_without_url(node_of(url_id(HOME + "unknown")))


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return make_crawl(tmp_path / "crawl")


def links_of(web: Web) -> list[tuple[str, str]]:
    """All links of a web; what no row tells has the name of its node."""
    return sorted(
        (page, UNKNOWN if target == HOME + "unknown" else target) for page, targets in web.items() for target in targets
    )


def tsv(path: Path) -> list[tuple[str, ...]]:
    return sorted(tuple(line.split("\t")) for line in path.read_text().splitlines())


def test_a_tsv_has_two_urls_a_line(crawl: Path, tmp_path: Path) -> None:
    weft.export(crawl, "graph", tmp_path / "x.tsv")
    assert tsv(tmp_path / "x.tsv") == links_of(WEB)


def test_networkx_reads_a_tsv_as_the_same_graph(crawl: Path, tmp_path: Path) -> None:
    weft.export(crawl, "graph", tmp_path / "x.tsv")
    graph = networkx.read_edgelist(tmp_path / "x.tsv", delimiter="\t", create_using=networkx.DiGraph)
    assert sorted(graph.edges) == links_of(WEB)


def test_networkx_reads_the_numbers_and_the_file_beside_has_their_urls(crawl: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    weft.export(crawl, "graph", path)
    graph = networkx.read_edgelist(path, nodetype=int, create_using=networkx.DiGraph)
    names = {int(number): url for number, url in tsv(tmp_path / "x.txt.nodes.tsv")}
    assert sorted(names) == list(range(len(graph))), "numbers from 0 on, each once"
    assert sorted(networkx.relabel_nodes(graph, names).edges) == links_of(WEB)
    assert path.read_text().splitlines()[0] == "# FromNodeId\tToNodeId", "a comment, as in SNAP's files"


def test_pyarrow_reads_two_columns_of_urls(crawl: Path, tmp_path: Path) -> None:
    weft.export(crawl, "graph", tmp_path / "x.parquet")
    table: Any = pyarrow.parquet.read_table(tmp_path / "x.parquet")
    assert table.column_names == ["source", "target"]
    assert sorted(tuple(row.values()) for row in table.to_pylist()) == links_of(WEB)


@pytest.mark.parametrize("ending", ["tsv", "txt", "parquet"])
def test_the_file_is_the_same_in_however_many_pieces_rows_are_read(
    ending: str, crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / f"first.{ending}", tmp_path / f"second.{ending}"
    rows: list[int] = []
    weft.export(crawl, "graph", first)
    monkeypatch.setattr(links_module, "CHUNK_ROWS", 1)
    monkeypatch.setattr("weft.export.link_table.LINKS_AT_ONCE", 2)
    monkeypatch.setattr("weft.export.link_table.URLS_AT_ONCE", 2)
    weft.export(crawl, "graph", second, progress=lambda amount, total: rows.append(amount))
    if ending == "parquet":
        assert pyarrow.parquet.read_table(first).equals(pyarrow.parquet.read_table(second))
    else:
        assert first.read_bytes() == second.read_bytes()
    assert max(rows) <= 2
    assert sum(rows) == len(links_of(WEB))


def test_without_a_name_it_is_a_tsv_in_the_crawl_folder(crawl: Path) -> None:
    assert weft.export(crawl, "graph") == crawl / "export.graph.tsv"
    assert tsv(crawl / "export.graph.tsv") == links_of(WEB)


def test_to_what_is_open_urls_are_written(crawl: Path) -> None:
    out = io.BytesIO()
    weft.export(crawl, "graph", out)
    assert sorted(tuple(line.split("\t")) for line in out.getvalue().decode().splitlines()) == links_of(WEB)


def test_the_folders_of_a_clusters_nodes_are_one_graph(tmp_path: Path) -> None:
    pages = list(WEB.items())
    nodes = [
        make_crawl(tmp_path / "a", dict(pages[:3]), node="a"),
        make_crawl(tmp_path / "b", dict(pages[2:]), node="b"),
    ]
    weft.export(nodes, "graph", tmp_path / "x.tsv")
    assert tsv(tmp_path / "x.tsv") == links_of(WEB)


def test_an_ending_that_says_nothing_is_refused_with_those_that_do(crawl: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"\.tsv, \.parquet or \.txt"):
        weft.export(crawl, "graph", tmp_path / "x.csv")


@pytest.mark.parametrize("there", ["x.txt", "x.txt.nodes.tsv"])
def test_neither_of_two_files_is_replaced_unless_forced(there: str, crawl: Path, tmp_path: Path) -> None:
    (tmp_path / there).write_text("mine")
    with pytest.raises(BadInput, match="--force"):
        weft.export(crawl, "graph", tmp_path / "x.txt")
    assert [path.name for path in tmp_path.glob("x*")] == [there]
    assert (tmp_path / there).read_text() == "mine"
    weft.export(crawl, "graph", tmp_path / "x.txt", force=True)
    assert (tmp_path / there).read_text() != "mine"


def test_a_crawl_without_a_graph_is_refused_and_leaves_no_file(tmp_path: Path) -> None:
    crawl = make_crawl(tmp_path / "crawl", {})
    for name in ("x.tsv", "x.txt", "x.parquet"):
        with pytest.raises(BadInput, match="--graph"):
            weft.export(crawl, "graph", tmp_path / name)
    assert list(tmp_path.glob("x*")) == []
