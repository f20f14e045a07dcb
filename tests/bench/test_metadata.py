"""How the bench of metadata tells right from wrong, and what it says without a corpus."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.metadata.corpus import NoCorpus, TruePage, half_of, read_corpus
from bench.metadata.readers import Read
from bench.metadata.scores import are_same_authors, is_same_title, score


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [("A “story” – told", 'a "story" - told', True), ("A story", "A story | The Paper", False), ("A story", "", False)],
)
def test_titles_are_the_same_but_for_punctuation(one: str, other: str, is_same: bool) -> None:
    assert is_same_title(one, other) is is_same


def test_authors_are_the_same_in_any_order() -> None:
    assert are_same_authors(("Jane Doe und John Roe",), ["John Roe", "jane doe"])
    assert not are_same_authors(("Jane Doe",), ["Jane Doe", "John Roe"])


def test_only_what_is_known_is_counted() -> None:
    pages = [TruePage("a", "", "A", "2020-01-28"), TruePage("b", "", "B")]
    found = [Read(title="a", date="2020-01-28T10:00:00", authors=[]), Read(title="x", date="2020-01-01", authors=[])]
    row = score("weft", pages, found, 0.5)
    assert (row.titles, row.true_titles, row.dates, row.true_dates, row.true_authors, row.cpu_ms) == (
        1,
        2,
        1,
        1,
        0,
        250,
    )


def test_a_corpus_is_read_and_halved(tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    told = {}
    for number in range(20):
        (tmp_path / "cache" / f"{number}.html").write_text("<p>x")
        told[f"https://example.org/{number}"] = {"file": f"{number}.html", "title": "A", "author": ""}
    told["https://example.org/gone"] = {"file": "gone.html", "title": "A"}
    (tmp_path / "evaldata.json").write_text(json.dumps(told))
    halves = [{page.url for page in read_corpus(tmp_path, half)} for half in ("dev", "test", "all")]
    assert halves[0] | halves[1] == halves[2]
    assert not halves[0] & halves[1]
    assert len(halves[2]) == 20
    assert half_of("https://example.org/1") == half_of("https://example.org/1")


def test_without_a_corpus_it_says_where_one_comes_from(tmp_path: Path) -> None:
    with pytest.raises(NoCorpus, match="trafilatura"):
        read_corpus(tmp_path, "all")
    ran = subprocess.run([sys.executable, "-m", "bench.metadata"], capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert "https://github.com/adbar/trafilatura" in ran.stderr
