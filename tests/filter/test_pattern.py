"""Patterns that a person writes: what they match, and that no URL keeps one busy."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weft.errors import BadInput
from weft.filter.condition import Condition
from weft.filter.pattern import matcher_of
from weft.url import canonicalize

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


@pytest.mark.parametrize(
    ("pattern", "url"),
    [
        ("*/müll/*", "http://x.test/müll/a"),
        ("/müll/*", "http://x.test/müll/a?b"),
        ("/müll*größe*", "http://x.test/mülleimer?q=größer"),
        ("/m%C3%BCll/*", "http://x.test/müll/"),
        ("/日本/*", "http://x.test/日本/x"),
        ("/ſİK/*", "http://x.test/ſİK/x"),  # letters that have an ASCII one as their other case
        ("/a b/*", "http://x.test/a b/c"),
        ("*.größe", "http://x.test/a.größe"),
        ("münchen.example/x/*", "http://münchen.example/x/y"),
        ("https://münchen.example/ü*", "https://münchen.example/über"),
        ("*.münchen.example/*", "http://a.münchen.example/ü"),
        ("München.example:8080/*", "http://münchen.example:8080/x"),
        ("münchen.example*", "http://münchen.example/x"),
        ("re:/m[üu]ll/", "http://x.test/müll/"),
        ("re:a b$", "http://x.test/a b"),
    ],
)
def test_letters_beyond_ascii_and_blanks_are_those_of_the_encoded_url(pattern: str, url: str) -> None:
    assert matcher_of(pattern)(canonicalize(url))


def test_an_encoded_letter_is_the_same_in_either_case_and_nothing_else_is() -> None:
    assert matcher_of("/müll/*")("http://x.test/m%c3%bcll/")
    assert matcher_of("/müll/*")("http://x.test/m%C3%BcLL/") is None
    assert matcher_of("/müll/*")("http://x.test/mull/") is None
    assert matcher_of("/m%c3%bcll/*")(canonicalize("http://x.test/müll/"))
    assert matcher_of("/m%C3%BCll/*")("http://x.test/m%c3%bcll/")
    assert matcher_of("/a%2fb%zz/*")("http://x.test/a%2Fb%zz/")
    assert matcher_of("/a%2fb/*")("http://x.test/a%2FB/") is None


@pytest.mark.parametrize("pattern", ["HTTPS://A.Example/X/*", "*://A.Example/X/*", "A.Example/X/*", "https://A.*/X/*"])
def test_the_name_of_a_host_has_no_case_and_a_path_has_one(pattern: str) -> None:
    assert matcher_of(pattern)("https://a.example/X/y")
    assert matcher_of(pattern)("https://a.example/x/y") is None


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("*/a b/*", "http://x.test/a%20b/c", True),
        ("*/a b/* size>10M", "http://x.test/a%20b/c", True),
        ("*/a b/*", "http://x.test/a/b/c", False),
        ("/docs/* *.pdf", "http://x.test/docs/a.pdf", True),
        ("/docs/* *.pdf", "http://x.test/docs/a.html", False),
    ],
)
def test_a_space_is_part_of_a_url_or_stands_between_what_must_all_hold(pattern: str, url: str, matches: bool) -> None:
    of_url = Condition(pattern).matches
    assert of_url is not None
    assert bool(of_url(url)) == matches
