"""Strings that are looked for all at once."""

from __future__ import annotations

import pytest

from weft.page.needles import MAX_HITS, Needles, in_characters


@pytest.mark.parametrize("more", [[], [b"x1", b"x2", b"x3"]], ids=["few", "many"])
def test_what_is_found_comes_in_the_order_of_the_text(more: list[bytes]) -> None:
    assert Needles([b"bb", b"a", *more]).find(b"a bb a") == [(0, 1), (2, 0), (5, 1)]


def test_of_needles_that_begin_alike_the_longest_is_found() -> None:
    assert Needles([b"java", b"javascript", b"x", b"y"]).find(b"javascript java") == [(0, 1), (11, 0)]


def test_no_more_is_found_than_can_be_looked_at() -> None:
    hits = Needles([b"a"]).find(b"a " * 1_000_000)
    assert hits == [(2 * number, 0) for number in range(MAX_HITS)]


def test_a_long_text_is_searched_to_its_end() -> None:
    assert Needles([b"needle"]).find(b"-" * 1_000_000 + b"needle") == [(1_000_000, 0)]


def test_places_are_counted_in_characters() -> None:
    data = "é爬虫 x İ x".encode()
    assert in_characters(data, Needles([b"x"]).find(data)) == [(4, 0), (8, 0)]
