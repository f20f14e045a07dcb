"""The figures at the end of a crawl."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pipeline.live_site import Answer, html, served

from .running import Finished


def test_what_was_received_is_told_in_a_unit_that_suits_it(tmp_path: Path) -> None:
    def small(path: str, headers: object) -> Answer:
        return html("<p>x" * 500)

    with served(small) as site:
        done = Finished("crawl", site.origin, "--allow-private", "-o", "crawl", cwd=tmp_path)
    assert done.code == 0, done.errors
    assert re.search(r"^received +2\.\d KB *$", done.out, re.MULTILINE), done.out


FUNCTIONS = """
def two(page):
    yield 1
    yield 2
    raise ValueError("no third")


def none(page):
    return None
"""


@pytest.mark.parametrize(("name", "figures"), [("two", r"2; 1 call failed"), ("none", "0")])
def test_what_functions_have_made_is_among_the_figures(tmp_path: Path, name: str, figures: str) -> None:
    (tmp_path / "mine.py").write_text(FUNCTIONS)
    with served(lambda path, headers: html("<p>x")) as site:
        flags = ("--allow-private", "--delay", "0", "--workers", "1", "--extract", f"mine:{name}")
        done = Finished("crawl", site.origin, *flags, "-o", "crawl", cwd=tmp_path)
    assert done.code == 0, done.errors
    assert re.search(rf"^items +{figures} *$", done.out, re.MULTILINE), done.out
    assert ("Your functions, or the parse workers, had something to say" in done.out) == (name == "two")


def test_a_refused_connection_has_one_piece_of_advice(tmp_path: Path) -> None:
    flags = ("--allow-private", "--retry-wait-scale", "0.001", "--slow-factor", "0", "--delay", "0")
    done = Finished("crawl", "http://127.0.0.1:9/", *flags, "-o", "crawl", cwd=tmp_path)
    assert done.code == 4
    assert "Nothing listens there" in done.out
    assert "is there a network" not in done.out
