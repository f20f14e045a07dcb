"""Patterns that a person writes: what they match, and that no URL keeps one busy."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.errors import BadInput
from weft.filter.pattern import matcher_of

letters = st.text("ab/", max_size=8)


@given(st.lists(letters, min_size=1, max_size=5).map("*".join).filter(bool), letters)
@example("a*b*a", "abba")
@example("*ab*ab", "aabab")
@example("/*a*", "/a")
def test_a_star_stands_for_anything_and_nothing(pattern: str, path: str) -> None:
    url = f"http://x.test/{path}"
    where = f"http://x.test{pattern}" if pattern.startswith("/") else pattern
    assert bool(matcher_of(pattern)(url)) == fnmatchcase(url, where)


def test_a_pattern_of_many_stars_is_soon_done_with_a_long_url() -> None:
    matches = matcher_of("/" + 30 * "*a" + "*b")
    assert not matches("http://x.test/" + 2_000 * "a")  # with every place of each piece tried, this would never end
    assert matches("http://x.test/" + 2_000 * "a" + "b")


@pytest.mark.parametrize("pattern", ["re:a{1,4294967296}", "re:" + 5_000 * "(" + 5_000 * ")", "re:(", "re:", ""])
def test_what_cannot_be_compiled_is_refused_with_a_sentence(pattern: str) -> None:
    with pytest.raises(BadInput, match="pattern"):
        matcher_of(pattern)
