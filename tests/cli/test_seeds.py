"""The URLs to begin with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weft.cli.seeds import meant_by, read_seeds
from weft.errors import BadInput

from .running import Finished, assert_is_one_sentence


def test_seeds_are_canonical_and_keep_their_logins(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("HTTPS://me:secret@A.example\n# a comment\nhttp://b.example#x\n")
    assert read_seeds(["HTTP://C.example"], str(file)) == (
        "http://c.example/",
        "HTTPS://me:secret@A.example",
        "http://b.example/",
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("example.org", "https://example.org"),
        (" example.org/a?b#c ", "https://example.org/a?b#c"),
        ("Bücher.example", "https://Bücher.example"),
        ("localhost:8080/x", "http://localhost:8080/x"),
        ("127.0.0.1:80", "http://127.0.0.1:80"),
        ("[::1]:80/", "http://[::1]:80/"),
        ("localhost.example", "https://localhost.example"),
        ("127.0.0.1:443/x", "https://127.0.0.1:443/x"),
        ("127.0.0.1:4430", "http://127.0.0.1:4430"),
        ("127.0.0.1.example", "https://127.0.0.1.example"),
        ("http://example.org", "http://example.org"),
        ("HTTPS://example.org", "HTTPS://example.org"),
        ("mailto:me@example.org", "mailto:me@example.org"),
        ("me:pass@example.org", "me:pass@example.org"),
        ("nonsense", "nonsense"),
        ("../page.html", "../page.html"),
        ("two words.org", "two words.org"),
        (".", "."),
    ],
)
def test_what_begins_with_a_host_is_given_a_scheme(written: str, meant: str) -> None:
    assert meant_by(written) == meant


def test_the_name_of_a_file_is_no_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "urls.txt").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"'urls\.txt' is not a URL: it must begin with http://"):
        read_seeds(["urls.txt"], None)


def test_in_a_file_of_seeds_a_url_is_whole(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("https://a.example/\nexample.org\n")
    with pytest.raises(BadInput, match=r"seeds.txt, line 2: 'example.org' is not a URL"):
        read_seeds([], str(tmp_path / "seeds.txt"))


def test_a_crawl_says_which_scheme_it_assumes_and_is_silent_when_it_is_to_be(tmp_path: Path) -> None:
    done = Finished("crawl", "localhost:9", "127.0.0.1:9/x", "-o", "a", "--log", "text", cwd=tmp_path)
    assert done.code == 4  # private addresses
    (line,) = [line for line in done.errors.splitlines() if "no scheme" in line]
    assert line.endswith("no scheme was given: crawling http://localhost:9, and 1 more likewise")
    assert json.loads((tmp_path / "a" / "state" / "config.json").read_text())["config"]["seeds"] == [
        "http://localhost:9/",
        "http://127.0.0.1:9/x",
    ]
    done = Finished("crawl", "localhost:9", "-o", "b", "--quiet", cwd=tmp_path)
    assert "no scheme" not in done.errors
    done = Finished("crawl", "nonsense", cwd=tmp_path)
    assert done.code == 2
    assert_is_one_sentence(done)
