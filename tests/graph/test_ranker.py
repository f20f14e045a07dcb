"""The ranker: what waits, best first, from a process that ends with its reader."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from weft.graph.kinds import KINDS, Kind
from weft.graph.links import read_links
from weft.graph.ranks import hits, pagerank
from weft.graph.rows import node_of
from weft.state import State

from .graphs import Graph, id_of, random_graph, rows_of, write_graph

WITHIN_S = 60
GRAPH = random_graph(7)
SEED = 1 << 40  # waits, and nothing links to it


@contextmanager
def ranker(database: Path, kind: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "weft.graph.ranker", str(database), kind]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WITHIN_S)


def read_all(database: Path, kind: str) -> list[tuple[bytes, float]]:
    with ranker(database, kind) as process:
        out, errors = process.communicate(timeout=WITHIN_S)
    assert (process.returncode, errors) == (0, b"")
    return list(struct.iter_unpack("<16sd", out))


def waiting(graph: Graph) -> list[int]:
    """What is only linked to, and a seed."""
    return [*sorted({target for targets in graph.values() for target in targets} - graph.keys()), SEED]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A crawl in the middle: some pages visited, some waiting."""
    write_graph(tmp_path / "db", GRAPH, dict.fromkeys(GRAPH, 0.5))
    add_waiting(tmp_path / "db", waiting(GRAPH))
    return tmp_path / "db"


def add_waiting(database: Path, nodes: list[int]) -> None:
    state = State(database)
    batch = state.batch()
    for node in nodes:
        batch.put("place", id_of(node), bytes(16) + b"its key in the queue")
    state.write(batch)
    state.close()


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_waits_comes_with_its_score_the_best_first(kind: Kind, database: Path) -> None:
    links = read_links(rows_of(GRAPH))
    if kind == "opic":
        received = [0.5 * sum(node in targets for targets in GRAPH.values()) for node in links.nodes.tolist()]
    else:
        received = (pagerank(links) if kind == "pagerank" else hits(links)[1]).tolist()
    expected = dict(zip(links.nodes.tolist(), received, strict=True)) | {SEED: 0.0}
    found = read_all(database, kind)
    assert sorted(url_id for url_id, _ in found) == sorted(map(id_of, waiting(GRAPH)))
    assert {node_of(url_id): score for url_id, score in found} == pytest.approx(
        {node: expected[node] for node in waiting(GRAPH)}, abs=1e-9
    )
    scores = [score for _, score in found]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] == 0


def test_while_the_crawl_goes_on_its_database_is_read(database: Path) -> None:
    state = State(database)
    assert len(read_all(database, "pagerank")) == len(waiting(GRAPH))
    state.close()


def test_of_a_crawl_that_has_not_begun_nothing_comes(tmp_path: Path) -> None:
    State(tmp_path / "db").close()
    for kind in KINDS:
        assert read_all(tmp_path / "db", kind) == []


def test_a_reader_that_has_enough_ends_it_without_a_word(database: Path) -> None:
    add_waiting(database, list(range(20_000)))  # more than a pipe holds
    with ranker(database, "pagerank") as process:
        assert process.stdout
        assert process.stderr
        assert len(process.stdout.read(24)) == 24
        process.stdout.close()
        assert process.wait(WITHIN_S) == 0
        assert process.stderr.read() == b""


def test_a_reader_that_dies_ends_it_although_it_has_nothing_to_write(tmp_path: Path) -> None:
    """It waits for its database here; a large graph takes as long."""
    os.mkfifo(tmp_path / "CURRENT")
    with ranker(tmp_path, "pagerank") as process:
        assert process.stdout
        process.stdout.close()
        assert process.wait(WITHIN_S) == 0


@pytest.mark.parametrize(("name", "kind", "words"), [("db", "trust", "'trust'"), ("none", "hits", "no database")])
def test_what_cannot_be_ranked_gets_a_sentence(name: str, kind: str, words: str, database: Path) -> None:
    with ranker(database.with_name(name), kind) as process:
        out, errors = process.communicate(timeout=WITHIN_S)
    assert (process.returncode, out) == (1, b"")
    assert words in errors.decode()
    assert len(errors.splitlines()) == 1
