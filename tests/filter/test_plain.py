from __future__ import annotations

import pytest

from weft.errors import BadInput
from weft.filter import (
    DepthFilter,
    HostFilter,
    LengthFilter,
    PatternFilter,
    SchemeFilter,
    SuffixFilter,
    UrlOnlyFilter,
)
from weft.types import Link, Refusal
from weft.url import host_of


def refusal(rule: UrlOnlyFilter, url: str, depth: int = 1) -> Refusal | None:
    """Ask both ways; they must agree."""
    by_url = rule.refuses_url(url, host_of(url), depth)
    assert rule.refuses(Link(url, depth)) == by_url
    return by_url


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h/", None),
        ("https://h/", None),
        ("ftp://h/", Refusal.SCHEME),
        ("httpx://h/", Refusal.SCHEME),
    ],
)
def test_only_the_schemes_given_pass(url: str, expected: Refusal | None) -> None:
    assert refusal(SchemeFilter(), url) == expected
    assert refusal(SchemeFilter(["https"]), "http://h/") == Refusal.SCHEME


def test_a_url_as_long_as_the_limit_passes_and_a_longer_one_does_not() -> None:
    url = "http://h/" + "x" * (8_192 - 9)
    assert refusal(LengthFilter(), url) is None
    assert refusal(LengthFilter(), url + "x") == Refusal.LENGTH
    assert refusal(LengthFilter(9), "http://h/x") == Refusal.LENGTH


@pytest.mark.parametrize(("depth", "expected"), [(0, None), (2, None), (3, Refusal.DEPTH)])
def test_depth_is_refused_beyond_the_limit(depth: int, expected: Refusal | None) -> None:
    assert refusal(DepthFilter(2), "http://h/", depth) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://h/a.zip", Refusal.SUFFIX),
        ("http://h/a.ZIP?x=1", Refusal.SUFFIX),
        ("http://h/a.tar.gz", Refusal.SUFFIX),
        ("http://h/a.gz", None),
        ("http://h/zip", None),
        ("http://h/?f=a.zip", None),
        ("http://h/a.zip/", None),
        ("http://h.zip/", None),
        ("http://h/", None),
    ],
)
def test_a_suffix_is_that_of_the_path(url: str, expected: Refusal | None) -> None:
    assert refusal(SuffixFilter(["zip", ".PDF", "*.tar.gz"]), url) == expected
    assert refusal(SuffixFilter(), url) is None


@pytest.mark.parametrize("suffix", ["", ".", "*.", "a/b"])
def test_what_is_no_suffix_is_bad_input(suffix: str) -> None:
    with pytest.raises(BadInput):
        SuffixFilter([suffix])


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("bad.example", Refusal.HOST),
        ("www.bad.example", None),
        ("tree.example", Refusal.HOST),
        ("a.b.tree.example", Refusal.HOST),
        ("othertree.example", None),
        ("xn--bcher-kva.example", Refusal.HOST),
        ("good.example", None),
    ],
)
def test_hosts_are_refused_by_name_or_with_all_below(host: str, expected: Refusal | None) -> None:
    rule = HostFilter(refuse=["BAD.example", ".tree.example", "Bücher.example"])
    assert refusal(rule, f"http://{host}:8080/") == expected


def test_with_hosts_allowed_all_others_are_refused_and_refuse_goes_first() -> None:
    rule = HostFilter(allow=[".example.org", "[::1]"], refuse=["bad.example.org"])
    assert refusal(rule, "http://a.example.org/") is None
    assert refusal(rule, "http://[::1]:81/") is None
    assert refusal(rule, "http://bad.example.org/") == Refusal.HOST
    assert refusal(rule, "http://example.com/") == Refusal.HOST


@pytest.mark.parametrize("name", ["", "a b", "http://h/", "h/path", "."])
def test_what_is_no_host_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput):
        HostFilter(refuse=[name])


@pytest.mark.parametrize(
    ("pattern", "url", "matches"),
    [
        ("*.pdf", "http://h/a.pdf", True),
        ("*.pdf", "http://h/a.pdf?x", False),
        ("*/private/*", "http://h/a/private/b", True),
        ("*/private/*", "http://h/private", False),
        ("/private/*", "http://h/private/b", True),
        ("/private/*", "https://h:81/private/", True),
        ("/private/*", "http://h/a/private/b", False),
        ("/private/*", "http://h/?/private/x", False),
        ("/a?b=[1]", "http://h/a?b=[1]", True),  # ? and [ are just characters
        ("/a?b=[1]", "http://h/axb=1", False),
        ("http://h/x.html", "http://h/x.html", True),
        ("http://h/x.html", "http://h/xxhtml", False),
        ("http://h/*", "http://h/", True),
        ("**", "http://h/", True),
        (r"re:/\d{4}/", "http://h/a/2024/b", True),
        (r"re:/\d{4}/", "http://h/a/20/b", False),
        ("re:(?i)LOGIN$", "http://h/login", True),
    ],
)
def test_a_pattern_excludes_what_it_matches_and_includes_nothing_else(pattern: str, url: str, matches: bool) -> None:
    assert refusal(PatternFilter(exclude=[pattern]), url) == (Refusal.PATTERN if matches else None)
    assert refusal(PatternFilter(include=[pattern]), url) == (None if matches else Refusal.PATTERN)


def test_exclude_goes_before_include_and_one_include_is_enough() -> None:
    rule = PatternFilter(include=["/a/*", "/b/*"], exclude=["*.pdf"])
    assert refusal(rule, "http://h/b/x") is None
    assert refusal(rule, "http://h/b/x.pdf") == Refusal.PATTERN
    assert refusal(rule, "http://h/c/x") == Refusal.PATTERN


def test_a_seed_need_not_match_include_but_can_be_excluded() -> None:
    rule = PatternFilter(include=["/a/*"], exclude=["*.pdf"])
    assert refusal(rule, "http://h/", depth=0) is None
    assert refusal(rule, "http://h/x.pdf", depth=0) == Refusal.PATTERN


@pytest.mark.parametrize("pattern", ["re:(", "re:[a-", "re:*"])
def test_a_bad_regular_expression_is_bad_input_that_names_it(pattern: str) -> None:
    with pytest.raises(BadInput) as caught:
        PatternFilter(exclude=[pattern])
    assert repr(pattern) in str(caught.value)


@pytest.mark.parametrize("pattern", ["", "re:"])
def test_an_empty_pattern_is_bad_input(pattern: str) -> None:
    with pytest.raises(BadInput):
        PatternFilter(include=[pattern])
